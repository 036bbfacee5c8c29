/**
 * `--import`ed, replaces the argon2 library by one that takes microseconds: of thousands of random
 * interleavings, password hashes would be half of the time. Who may set and use a password does not depend
 * on the hash.
 */
import { registerHooks } from 'node:module'

const LIBRARY = `
import { createHash, randomBytes } from 'node:crypto'
const base64 = (bytes) => bytes.toString('base64').replaceAll('=', '')
const digest = (salt, password) => base64(createHash('sha256').update(salt + password).digest())
export const hash = async (password, { memoryCost, timeCost, parallelism }) => {
  const salt = base64(randomBytes(16))
  return \`$argon2id$v=19$m=\${memoryCost},t=\${timeCost},p=\${parallelism}$\${salt}$\${digest(salt, password)}\`
}
export const verify = async (stored, password) => {
  const [salt, expected] = stored.split('$').slice(-2)
  return expected === digest(salt, password)
}`
const url = `data:text/javascript,${encodeURIComponent(LIBRARY)}`

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@node-rs/argon2' ? { url, shortCircuit: true } : next(specifier, context),
})
