export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORED = 'tenantry.theme'

export function themeOf(): Theme {
  const stored = localStorage.getItem(STORED)
  return THEMES.find((each) => each === stored) ?? 'system'
}

/** Style sheets read the attribute; without it, the setting of the device counts. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  localStorage.setItem(STORED, theme)
}
