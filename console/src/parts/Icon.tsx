/** Line icons of 24 by 24, in the color of the text. */
const PATHS = {
  home: 'M4 10.5 12 4l8 6.5V20h-5v-6H9v6H4z',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 20c1-4 4-6 8-6s7 2 8 6',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c.8-3.5 3.2-5.5 6.5-5.5s5.700 2 6.500 5.500M16 4.300a3.500 3.500 0 0 1 0 6.400M18 15c2 .8 3.200 2.500 3.600 5',
  building: 'M5 20V4h9v16M14 9h5v11M8 8h3M8 12h3M8 16h3M3 20h18',
  check: 'M4 12.500 9.500 18 20 6.500',
  envelope: 'M3.500 6h17v12h-17zM4 6.500l8 6.500 8-6.500',
  badge: 'M12 3l7 3v5c0 5-3 8.500-7 10-4-1.500-7-5-7-10V6z',
  clock: 'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17ZM12 7v5l3.500 2',
  list: 'M4 6h16M4 12h16M4 18h10',
  hook: 'M9.500 9.500a4 4 0 1 1 5 3.500l2 4M14.500 18a4 4 0 1 1-4.500-5M12 9l-3 6',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  question:
    'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  settings:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM15.500 15.500 20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.1M12 12h.1M19 12h.1',
  chevrons: 'M8 9.500 12 5.500l4 4M8 14.500l4 4 4-4',
  left: 'M14.500 6 8.500 12l6 6',
  right: 'M9.500 6l6 6-6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  alert: 'M12 8v5M12 16.500v.1M12 3.500 22 20H2z',
  minus: 'M5 12h14',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  globe:
    'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM3.5 12h17M12 3.5c2.6 2.3 3.8 5.200 3.800 8.500s-1.200 6.200-3.800 8.500c-2.600-2.300-3.800-5.200-3.800-8.500s1.200-6.200 3.800-8.500Z',
  moon: 'M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500Z',
  signOut: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  up: 'M12 19V5M6.500 10.500 12 5l5.500 5.500',
  down: 'M12 5v14M6.500 13.500 12 19l5.500-5.500',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
} as const

export type IconName = keyof typeof PATHS

/** Decorative: the text next to it, or the label of its button, says the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
