/** Addresses are separated by spaces, commas or lines, so that a list can be pasted. */
export const addressesOf = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
