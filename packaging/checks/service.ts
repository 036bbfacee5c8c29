/** The systemd unit, read by systemd itself. It is not started. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../files.ts'
import { newFolder } from './installation.ts'
import { isSkippedWithout, run } from './tools.ts'

/**
 * The greatest exposure, of 100: systemd-analyze calls up to 2.0 of 10 "OK", and 9.6 is a unit without any
 * restriction.
 */
const EXPOSURE_MAX = '20'

test('systemd accepts the unit, and finds it restricted', async (t) => {
  if (await isSkippedWithout(t, 'systemd-analyze')) return
  const unit = readFileSync(join(ROOT, 'packaging/systemd/tenantry.service'), 'utf8')
  const file = join(newFolder('unit'), 'tenantry.service')
  // The program is not installed on this machine.
  writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))

  const verified = await run('systemd-analyze', ['verify', '--man=no', file])
  const { code } = await run('systemd-analyze', [
    'security',
    '--offline=true',
    `--threshold=${EXPOSURE_MAX}`,
    file,
  ])

  assert.deepEqual(verified, { code: 0, stdout: '', stderr: '' })
  assert.equal(code, 0)
})
