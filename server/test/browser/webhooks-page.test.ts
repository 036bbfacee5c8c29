/** Runs the commands and the receiver of docs/webhooks.md unchanged. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../../src/config/config.ts'
import { freePort } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { endShell, startShell } from '../support/shell.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code]) => code!)

/** The pauses of a reader are waits until what they are for has happened, however busy this machine is. */
function patient(script: string, port: string): string {
  const deliveries = 'admin GET "systems/$SYSTEM_ID/webhooks/$WEBHOOK_ID/deliveries"'
  const until = (condition: string) => `until ${condition}; do sleep 0.2; done`
  const pauses: Record<string, string> = {
    'sleep 1': until(`curl -s -o /dev/null http://localhost:${port}`),
    'sleep 2': until(`[ "$(${deliveries} | grep -o '"status":"delivered"' | wc -l)" = 3 ]`),
  }
  return script.replaceAll(/^sleep \d$/gm, (pause) => pauses[pause] ?? pause)
}

test('docs/webhooks.md leads to a verified webhook', async (t) => {
  const server = await startServer()
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-webhooks-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  t.after(() => server.close())
  const port = String(await freePort())
  const [, id = '', secret = ''] = /token -u '([^':]+):([^']+)'/.exec(server.output()) ?? []
  const withUrls = (text: string) =>
    text
      .replaceAll('http://localhost:3000', server.url)
      .replaceAll('8976', port)
      .replace("'the service client'", `'${id}'`)
      .replace("'its secret'", `'${secret}'`)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const [receiver = '', ...others] = blocks('js')
  writeFileSync(join(folder, 'receiver.mjs'), withUrls(receiver))

  const child = startShell(withUrls(patient(blocks('sh').join('\n'), port)), folder)
  t.after(() => endShell(child)) // the receiver too
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const [code] = await once(child, 'close')

  assert.deepEqual([code, others], [0, []], said.err)
  // Anywhere in a line: an answer of the server and its line end are written apart.
  assert.deepEqual(said.out.match(/[a-z]+\.[a-z_]+(?= \{)/g)?.sort(), [
    'account.created',
    'user.access_granted',
    'webhook.test',
  ])
  const deliveries = JSON.parse(said.out.split('\n').findLast((line) => line.startsWith('{"data"')) ?? '')
  assert.deepEqual(
    deliveries.data.map(({ status, attempts }: { status: string; attempts: { status: number }[] }) => [
      status,
      attempts[0]!.status,
    ]),
    Array(3).fill(['delivered', 204]),
  )
})

test('docs/webhooks.md documents the retry schedule of the settings', () => {
  const UNITS: Record<string, number> = { s: 1, min: 60, h: 3_600 }
  const [, named = ''] = /`WEBHOOK_RETRY_SCHEDULE`:\s+immediately,\s+([^.]+)\./.exec(PAGE) ?? []

  const waits = named.split(/,\s+/).map((wait) => {
    const [number, unit] = wait.split(/\s+/)
    return Number(number) * UNITS[unit!]!
  })

  assert.deepEqual([0, ...waits], SETTINGS.WEBHOOK_RETRY_SCHEDULE.parse(undefined))
})
