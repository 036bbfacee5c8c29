/** Decorative icons in the color of the text, hidden from screen readers. */
import { type Html, raw } from './html.ts'

const icon = (drawing: string): Html =>
  raw(
    `<svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${drawing}</svg>`,
  )

export const icons = {
  alert: icon('<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5M12 16.2v.1"/>'),
  check: icon('<circle cx="12" cy="12" r="9"/><path d="m8.2 12.3 2.6 2.6 5-5.4"/>'),
  tick: icon('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  clock: icon('<circle cx="12" cy="12" r="9"/><path d="M12 7v5.2l3.2 1.9"/>'),
  barred: icon('<circle cx="12" cy="12" r="9"/><path d="m5.8 5.8 12.4 12.4"/>'),
  door: icon(
    '<path d="M14 4h3.5A2.5 2.5 0 0 1 20 6.5v11a2.5 2.5 0 0 1-2.5 2.5H14M10 8l-4 4 4 4M6.5 12H15"/>',
  ),
  person: icon(
    '<circle cx="12" cy="8" r="3.75"/><path d="M4.75 20c.6-3.7 3.5-5.75 7.25-5.75S18.65 16.3 19.25 20"/>',
  ),
  badge: icon(
    '<rect x="3.5" y="5" width="17" height="14" rx="2.5"/><circle cx="9" cy="11" r="1.9"/><path d="M6.2 15.8c.4-1.3 1.4-2 2.8-2s2.4.7 2.8 2M14.5 10h3M14.5 13.5h3"/>',
  ),
  envelope: icon(
    '<rect x="3.5" y="5.5" width="17" height="13" rx="2.5"/><path d="m4.5 7.5 7.5 5.7 7.5-5.7"/>',
  ),
  handset: icon(
    '<path d="M6.5 4h2.8l1.4 4-2 1.6a11 11 0 0 0 5.7 5.7l1.6-2 4 1.4v2.8A2 2 0 0 1 18 19.5C10.5 19.5 4.5 13.5 4.5 6a2 2 0 0 1 2-2Z"/>',
  ),
  house: icon('<path d="m4 11.5 8-7 8 7M6 10v9.5h12V10M10 19.5v-5h4v5"/>'),
  loop: icon(
    '<path d="M19.5 11a7.6 7.6 0 0 0-13.3-3.6L4.5 9.3M4.5 5v4.3h4.3M4.5 13a7.6 7.6 0 0 0 13.3 3.6l1.7-1.9M19.5 19v-4.3h-4.3"/>',
  ),
  device: icon('<rect x="3.5" y="5" width="17" height="11.5" rx="2.5"/><path d="M8.5 20h7M12 16.5V20"/>'),
  /** The stroke is shown while the password is visible (style/fields.css). */
  eye: icon(
    '<path d="M2.8 12S6 5.75 12 5.75 21.2 12 21.2 12 18 18.25 12 18.25 2.8 12 2.8 12Z"/><circle cx="12" cy="12" r="2.75"/><path class="stroke" d="m4.5 4.5 15 15"/>',
  ),
  phone: icon('<rect x="7" y="3" width="10" height="18" rx="2.5"/><path d="M11 17.75h2"/>'),
  fingerprint: icon(
    '<path d="M5.2 8.6a8 8 0 0 1 13.9.6M4 13.4c.3 1.4.3 2.7-.1 4M8 20.2c.8-2.2 1-4.6.6-7a3.5 3.5 0 0 1 6.9-1c.5 2.8.4 5.6-.3 8.3M12 12.5c.5 2.8.3 5.6-.6 8.3M19.6 12.8c.3 2.1.3 4.2 0 6.2"/>',
  ),
  globe: icon(
    '<circle cx="12" cy="12" r="8.75"/><path d="M3.5 12h17M12 3.25c2.5 2.5 3.5 5.5 3.5 8.75s-1 6.25-3.5 8.75c-2.5-2.5-3.5-5.5-3.5-8.75s1-6.25 3.5-8.75Z"/>',
  ),
  down: icon('<path d="m7 9.75 5 5 5-5"/>'),
  next: icon('<path d="m9.5 6.5 5.5 5.5-5.5 5.5"/>'),
  back: icon('<path d="M19 12H5.5M11 6l-6 6 6 6"/>'),
  lock: icon(
    '<rect x="5" y="10.5" width="14" height="9.5" rx="2.25"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>',
  ),
  building: icon(
    '<path d="M5 20V5.5A1.5 1.5 0 0 1 6.5 4h6A1.5 1.5 0 0 1 14 5.5V20M14 9.5h3.5A1.5 1.5 0 0 1 19 11v9M8.25 8h2.5M8.25 12h2.5M8.25 16h2.5M3 20h18"/>',
  ),
  plug: icon('<path d="M9 3.5v4M15 3.5v4M6.5 7.5h11V11a5.5 5.5 0 0 1-11 0ZM12 16.5v4"/>'),
  people: icon(
    '<circle cx="9" cy="8" r="3.4"/><path d="M2.75 19.5c.5-3.3 3-5.2 6.25-5.2s5.75 1.9 6.25 5.2M15.8 4.9a3.4 3.4 0 0 1 0 6.2M18 14.8c1.7.8 2.9 2.4 3.25 4.7"/>',
  ),
  list: icon('<path d="M8.5 6.5H20M8.5 12H20M8.5 17.5H20M4.5 6.5h.1M4.5 12h.1M4.5 17.5h.1"/>'),
  gear: icon(
    '<circle cx="12" cy="12" r="2.75"/><path d="M12 3.5v2.75M12 17.75v2.75M3.5 12h2.75M17.75 12h2.75M6 6l1.95 1.95M16.05 16.05 18 18M6 18l1.95-1.95M16.05 7.95 18 6"/>',
  ),
  more: icon('<path d="M5.5 12h.1M12 12h.1M18.5 12h.1" stroke-width="2.6"/>'),
  copy: icon(
    '<rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2.25"/><path d="M15.5 5.5A1.75 1.75 0 0 0 13.75 4h-8A1.75 1.75 0 0 0 4 5.75v8a1.75 1.75 0 0 0 1.5 1.75"/>',
  ),
  download: icon('<path d="M12 4v11.5M7.5 11l4.5 4.5 4.5-4.5M4.5 19.5h15"/>'),
  print: icon('<path d="M7 8.5V4h10v4.5M7 16.5H4.5v-8h15v8H17M7 13.5h10V20H7Z"/>'),
  trash: icon('<path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 11v5M14 11v5"/>'),
  program: icon(
    '<rect x="3.5" y="5" width="17" height="14" rx="2.25"/><path d="m7.5 10 2.5 2.25-2.5 2.25M12.5 14.75h4"/>',
  ),
  key: icon('<circle cx="8.5" cy="15.5" r="4"/><path d="m11.4 12.6 7.6-7.6M16 8l2.5 2.5"/>'),
} as const
