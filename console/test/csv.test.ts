/** Lists as CSV files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from '../src/parts/csv.ts'

test('no value of a CSV file is a formula, whatever separates the columns', () => {
  const formula = "=HYPERLINK('https://evil.example')"
  const values = [
    formula,
    ` ${formula}`,
    `Eve;${formula}`,
    `Eve\t${formula}`,
    `Eve\n${formula}`,
    `Eve; "${formula}`,
    '+1',
    '-1',
    '@SUM(1)',
    '\uff1d1',
  ]

  for (const separator of [',', ';', '\t'])
    for (const value of values) {
      const [, ...lines] = csvOf([{ id: 1, name: value }]).split(/[\r\n]+/)
      const cells = lines.flatMap((line) => line.split(separator))
      assert.deepEqual(
        cells.filter((cell) => /^[\s"]*[=+\-@\uff1d]/.test(cell)),
        [],
        JSON.stringify([separator, value]),
      )
    }
  assert.equal(csvOf([{ name: 'Eve Smith-Jones', none: null }]), 'name,none\r\nEve Smith-Jones,\r\n')
})
