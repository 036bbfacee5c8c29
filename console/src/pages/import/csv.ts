export type Row = { line: number; cells: string[] }

/** The separator that the header line has most of. */
function separatorOf(text: string): string {
  const header = text.slice(0, Math.max(text.indexOf('\n'), 0) || undefined)
  const countOf = (each: string) => header.split(each).length
  return [';', '\t'].reduce((best, each) => (countOf(each) > countOf(best) ? each : best), ',')
}

/** RFC 4180, with a comma, a semicolon or a tab between cells. `line` is where a row starts, from 1. */
export function parseCsv(text: string): Row[] {
  const separator = separatorOf(text)
  const rows: Row[] = []
  let row: Row = { line: 1, cells: [] }
  let cell = ''
  let isQuoted = false
  let line = 1
  const endCell = () => {
    row.cells.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    rows.push(row)
    row = { line: line + 1, cells: [] }
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (isQuoted && char === '"' && text[at + 1] === '"') {
      cell += char
      at++
    } else if (char === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (!isQuoted && char === separator) endCell()
    else if (!isQuoted && char === '\n') endRow()
    else if (isQuoted || char !== '\r') cell += char
    if (char === '\n') line++
  }
  if (cell !== '' || row.cells.length > 0) endRow()
  return rows
}
