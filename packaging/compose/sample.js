// Creates the system of the sample application at its first start, then runs the application.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const { ISSUER, PORT, ADMIN_CLIENT_ID: id, ADMIN_CLIENT_SECRET_FILE } = process.env
/** The client of the application, kept for later starts. */
const FILE = 'client.json'
const HERE = `http://localhost:${PORT}`

const SYSTEM = {
  name: 'Sample',
  clientType: 'confidential',
  redirectUris: [`${HERE}/callback`],
  postLogoutRedirectUris: [HERE, `${HERE}/`],
  allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
  allowSelfRegister: true,
  multiAccount: true,
}

/** The JSON of a response. Throws if it is an error. */
async function request(path, init) {
  const response = await fetch(ISSUER + path, { method: 'POST', ...init })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

async function createSystem() {
  const secret = readFileSync(ADMIN_CLIENT_SECRET_FILE, 'utf8').trim()
  const { access_token: token } = await request('/token', {
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return request('/admin/systems', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(SYSTEM),
  })
}

if (!existsSync(FILE)) {
  const { clientId, clientSecret } = await createSystem()
  const client = { clientId, clientSecret, sessionSecret: randomBytes(32).toString('hex') }
  writeFileSync(FILE, JSON.stringify(client), { mode: 0o600 })
}
const { clientId, clientSecret, sessionSecret } = JSON.parse(readFileSync(FILE, 'utf8'))
Object.assign(process.env, {
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
  SESSION_SECRET: sessionSecret,
})
await import('./app.js')
