/** Line icons of 24 by 24, in the color of the text. */
const PATHS = {
  home: 'M4 10.5 12 4l8 6.5V20h-5v-6H9v6H4z',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 20c1-4 4-6 8-6s7 2 8 6',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c.8-3.5 3.2-5.5 6.5-5.5s5.7 2 6.5 5.5M16 4.3a3.5 3.5 0 0 1 0 6.4M18 15c2 .8 3.2 2.5 3.6 5',
  building: 'M5 20V4h9v16M14 9h5v11M8 8h3M8 12h3M8 16h3M3 20h18',
  check: 'M4 12.5 9.5 18 20 6.5',
  envelope: 'M3.5 6h17v12h-17zM4 6.5l8 6.5 8-6.5',
  badge: 'M12 3l7 3v5c0 5-3 8.5-7 10-4-1.5-7-5-7-10V6z',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7v5l3.5 2',
  list: 'M4 6h16M4 12h16M4 18h10',
  hook: 'M9.5 9.5a4 4 0 1 1 5 3.5l2 4M14.5 18a4 4 0 1 1-4.5-5M12 9l-3 6',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  question: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  settings:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.1M12 12h.1M19 12h.1',
  chevrons: 'M8 9.5 12 5.5l4 4M8 14.5l4 4 4-4',
  left: 'M14.5 6 8.5 12l6 6',
  right: 'M9.5 6l6 6-6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  alert: 'M12 8v5M12 16.5v.1M12 3.5 22 20H2z',
  minus: 'M5 12h14',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  globe:
    'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM3.5 12h17M12 3.5c2.6 2.3 3.8 5.2 3.8 8.5s-1.2 6.2-3.8 8.5c-2.6-2.3-3.8-5.2-3.8-8.5s1.2-6.2 3.8-8.5Z',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z',
  signOut: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  up: 'M12 19V5M6.5 10.5 12 5l5.5 5.5',
  down: 'M12 5v14M6.5 13.5 12 19l5.5-5.5',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
} as const

export type IconName = keyof typeof PATHS

/** Decorative: the text next to it, or the label of its button, says the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
