/** The import of a file as a spreadsheet saves it, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { textOf } from '../src/pages/import/encoding.ts'
import { readText, usersOf } from '../src/pages/import/read.ts'
import { en } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('a file that is not UTF-8 is read in the encoding that the user chooses, and not before', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const host = `${crypto.randomUUID()}.test`
  const found = async () => (await app.platform.get(`/admin/users?search=${host}`)).body.data
  await show(visit, app.url, 'import')

  const rows = [
    'email;name;verified;disabled',
    `ana@${host};José Müller;WAHR;nein`,
    `rui@${host};René;falsch;ja`,
    `mia@${host};Mia;vielleicht;nein`,
  ]
  await page.getByLabel(en.imports.choose).setInputFiles({
    name: 'users.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(rows.join('\n'), 'latin1'),
  })
  const western = page.getByRole('radio', { name: en.imports.encodings['windows-1252'] })
  await western.waitFor()
  const check = page.getByRole('button', { name: en.imports.check })
  assert.equal(await check.count(), 0, 'nothing is decoded before the user chooses')
  await page.getByRole('radio', { name: en.imports.encodings['windows-1251'] }).check()
  await page.getByRole('cell', { name: 'Josй Mьller' }).waitFor()
  await western.check()
  await page.getByRole('cell', { name: 'José Müller' }).waitFor()
  await check.click()
  await page.getByText(en.imports.checked).waitFor()
  await page.getByRole('cell', { name: /emailVerified/ }).waitFor()
  await page.getByRole('button', { name: 'Import 2 users' }).click()
  await page.getByText(en.imports.finished, { exact: true }).waitFor()

  const users: { name: string; emailVerified: boolean; disabled: boolean }[] = await found()
  assert.deepEqual(users.map(({ name, emailVerified, disabled }) => [name, emailVerified, disabled]).sort(), [
    ['José Müller', true, false],
    ['René', false, true],
  ])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('UTF-8 and UTF-16 with a byte order mark are read without a question, and no byte becomes U+FFFD', () => {
  const text = 'email,name\na@x.test,José 山田\n'
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')

  assert.equal(textOf(Buffer.from(text)), text)
  assert.equal(textOf(Buffer.from(`\ufeff${text}`)), text)
  assert.equal(textOf(utf16), text)
  assert.equal(textOf(Buffer.from(utf16).swap16()), text)
  assert.equal(textOf(Buffer.from('José', 'latin1')), undefined)
  assert.equal(textOf(utf16.subarray(0, 5)), undefined, 'half a character')
})

test('true and false are read in the six languages; another word is left for the server to refuse', () => {
  const given = {
    true: ['true', 'TRUE', '1', 'yes', 'wahr', 'Ja', 'VERDADERO', 'Sí', 'si\u0301', 'VRAI', 'oui'],
    false: ['false', '0', 'No', 'FALSCH', 'nein', 'Falso', 'no', 'FAUX', 'non', 'não', '偽', 'いいえ'],
    other: ['maybe', 'x', '2', 'verified'],
  }
  given.true.push('VERDADEIRO', 'sim', '真', 'はい', 'ＴＲＵＥ')
  const readAs = (word: string) => {
    const file = readText(`email,verified\na@x.test,${word}\n`)
    assert.ok(file.format === 'csv')
    return usersOf(file, ['email', 'emailVerified'])[0]!.user!.emailVerified
  }

  assert.deepEqual(given.true.map(readAs), Array(given.true.length).fill(true))
  assert.deepEqual(given.false.map(readAs), Array(given.false.length).fill(false))
  assert.deepEqual(given.other.map(readAs), given.other)
})
