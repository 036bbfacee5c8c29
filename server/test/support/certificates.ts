/** Certificates made by openssl for a test, which is skipped without it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why tests are skipped; false if openssl is installed. */
export function withoutOpenssl(): string | false {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'openssl is not installed'
  }
}

export type Certificate = { cert: string; key: string }

/** An authority of its own. `issue` makes a certificate for a name; all of them are PEM files in `folder`. */
export function newAuthority(): {
  folder: string
  root: string
  issue(commonName: string, altNames?: string): Certificate
  remove(): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-certificates-'))
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const file = (name: string) => join(folder, name)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  run('req', '-x509', ...newKey, '-keyout', 'root.key', '-out', 'root.crt', '-subj', '/CN=Test authority')
  let made = 0
  return {
    folder,
    root: file('root.crt'),
    issue(commonName, altNames) {
      const name = `issued-${++made}`
      run('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${commonName}`)
      writeFileSync(file(`${name}.ext`), altNames ? `subjectAltName=${altNames}` : '')
      const by = ['-CA', 'root.crt', '-CAkey', 'root.key', '-CAcreateserial', '-extfile', `${name}.ext`]
      run('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.crt`)
      return { cert: file(`${name}.crt`), key: file(`${name}.key`) }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
