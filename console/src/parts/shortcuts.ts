const STORED = 'tenantry.shortcuts'

/** A user who dictates can turn single keys off (WCAG 2.2, 2.1.4). */
export const areShortcutsOn = (): boolean => localStorage.getItem(STORED) !== 'off'
export const turnShortcuts = (on: boolean): void => localStorage.setItem(STORED, on ? 'on' : 'off')
