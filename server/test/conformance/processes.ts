/** The processes of a run: TLS proxies with their own certificate, and the suite. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'

/** The cipher suites of TLS 1.2 that FAPI 2.0 permits (RFC 9325), for an RSA key, and those of TLS 1.3. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':')
/** The suite refuses a request without it. */
export const FORWARDED = { 'x-forwarded-proto': 'https' }
/** Timeout of the start of the suite, in ms. */
const START_MAX = 180_000

export type Certificate = { keyFile: string; file: string }

/** A certificate of localhost, signed with its own key. */
export function createCertificate(folder: string): Certificate {
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const output = ['-nodes', '-days', '2', '-keyout', keyFile, '-out', file]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...names, ...output], { stdio: 'ignore' })
  return { keyFile, file }
}

/** Forwards https requests to a port. */
export async function startProxy(address: string, port: number, certificate: Certificate): Promise<Server> {
  const { host, port: ownPort } = new URL(address)
  const forwarded = ['x-forwarded-proto', 'https', 'x-forwarded-host', host, 'x-forwarded-port', ownPort]
  const tls = {
    key: readFileSync(certificate.keyFile),
    cert: readFileSync(certificate.file),
    ciphers: CIPHERS,
    minVersion: 'TLSv1.2',
  } as const
  const proxy = createServer(tls, (incoming, response) => {
    const socket = incoming.socket as TLSSocket
    const connection = [
      ['x-forwarded-for', socket.remoteAddress ?? ''],
      // The suite verifies them in requests to it.
      ['x-ssl-protocol', socket.getProtocol() ?? ''],
      ['x-ssl-cipher', socket.getCipher().name],
    ].flat()
    const headers = [...incoming.rawHeaders, ...forwarded, ...connection]
    const { method, url: path } = incoming
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  proxy.listen(Number(ownPort), 'localhost')
  await once(proxy, 'listening')
  return proxy
}

/** Starts the suite without its sign-in. Resolves when its API answers. Its output is written to `log`. */
export async function startSuite(options: {
  jar: string
  mongo: string
  port: number
  address: string
  log: string
}): Promise<ChildProcess> {
  const { jar, mongo, port, address, log } = options
  const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin/java') : 'java'
  const settings = {
    'fintechlabs.base_url': address,
    'fintechlabs.devmode': 'true',
    'spring.mongodb.uri': mongo,
    // Empty: the suite does not change it
    'openid.mongodb.targetFeatureCompatibilityVersion': '',
    'server.address': '127.0.0.1',
    'server.port': String(port),
  }
  const given = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const suite = spawn(java, ['-Xmx1500m', '-jar', jar, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  suite.stdout.pipe(createWriteStream(log))
  process.once('exit', () => suite.kill())
  for (const end = Date.now() + START_MAX; Date.now() < end && suite.exitCode === null; await wait(1_000)) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/plan?length=1`, { headers: FORWARDED }).catch(
      () => undefined,
    )
    if (answer?.ok) return suite
  }
  suite.kill()
  throw new Error(`The suite did not start: see ${log}`)
}
