/** A formula at the start of a value, or after a character at which some spreadsheets separate columns. */
const FORMULA = /(^|[;\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** RFC 4180. What a spreadsheet would take for a formula is preceded by an apostrophe. */
export function csvOf(rows: readonly object[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (value: unknown) => {
    const text =
      value === null || value === undefined
        ? ''
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value)
    const safe = text.replace(FORMULA, "$1'")
    return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const lines = rows.map((row) => names.map((name) => cell((row as Record<string, unknown>)[name])).join(','))
  return `${[names.map(cell).join(','), ...lines].join('\r\n')}\r\n`
}

/** Without this mark, Excel decodes a CSV file by the encoding of Windows. */
const BYTE_ORDER_MARK = '\ufeff'

/** Saves a text as a file. */
export function download(name: string, text: string, type = 'text/csv'): void {
  const parts = type === 'text/csv' ? [BYTE_ORDER_MARK, text] : [text]
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
