/** Restarts of servers behind a load balancer, and the end of a worker process. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { runRestarts } from './chaos-restarts.ts'

let postgres: Postgres | undefined
before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
})
after(() => postgres?.close())

const databaseUrl = () => process.env.DATABASE_URL ?? postgres!.url

async function startOn(env: Record<string, string>, ownGroup = false) {
  const database = await createDatabase(databaseUrl())
  const secret = { SECRET_KEY: 'a key for the restarts, long enough!' }
  const server = await startServer({ env: { DATABASE_URL: database.url, ...secret, ...env }, ownGroup })
  const close = async () => {
    await server.close()
    await database.drop()
  }
  return { server, close }
}

for (const workers of [1, 2])
  test(`no request fails while servers are restarted, with ${workers} process${workers > 1 ? 'es' : ''} each`, async () => {
    const report = await runRestarts({ restarts: 3, workers, databaseUrl: databaseUrl() })

    assert.deepEqual(report.failed, [])
    assert.ok(report.requests > 300, String(report.requests))
  })

test('after SIGTERM the readiness check fails, requests are served for DRAIN_DELAY, and connections end', async () => {
  const { server, close } = await startOn({ DRAIN_DELAY: '2' })
  assert.equal((await fetch(`${server.url}/health`)).status, 200)

  const ended = server.kill('SIGTERM')
  await wait(200)
  const health = await fetch(`${server.url}/health`)
  const keys = await fetch(`${server.url}/jwks`)

  assert.deepEqual([health.status, (await health.json()).status], [503, 'stopping'])
  assert.equal((await fetch(`${server.url}/health/live`)).status, 200)
  assert.deepEqual([keys.status, keys.headers.get('connection')], [200, 'close'])
  assert.equal((await ended).code, 0)
  await assert.rejects(fetch(`${server.url}/jwks`))
  await close()
})

for (const WORKERS of ['1', '2'])
  test(`a second SIGTERM to all ${WORKERS} processes changes nothing: requests are served`, async () => {
    const { server, close } = await startOn({ DRAIN_DELAY: '300', WORKERS }, true)
    const children = WORKERS === '1' ? [] : server.children()
    let isOver = false
    const ended = server.kill('SIGTERM').then((exit) => {
      isOver = true
      return exit
    })
    const answers: number[] = []
    for (let nth = 0; nth < 5; nth += 1) {
      await wait(200)
      void server.kill('SIGTERM')
      answers.push((await fetch(`${server.url}/jwks`)).status)
      answers.push((await fetch(`${server.url}/health`)).status)
    }

    assert.deepEqual(answers, Array(5).fill([200, 503]).flat())
    assert.equal(isOver, false)
    for (const pid of children) assert.ok(process.kill(pid, 0))
    void server.kill('SIGINT')
    const { code, signal } = await ended
    assert.deepEqual([code, signal], [0, null])
    await close()
  })

test('SIGINT ends the drain, also after SIGTERM and twice at once, and exits with 0', async () => {
  const { server, close } = await startOn({ DRAIN_DELAY: '300', WORKERS: '2' }, true)
  const ended = server.kill('SIGTERM')
  await wait(200)

  void server.kill('SIGINT')
  void server.kill('SIGINT')

  const { code, signal } = await ended
  assert.deepEqual([code, signal], [0, null])
  await close()
})

/** Sends a request on a connection of its own. Resolves to `answered`, `closed`, or `waiting` after 30 s. */
const ask = (server: TestServer): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), 'localhost')
    const end = (result: string) => {
      resolve(result)
      socket.destroy()
    }
    socket.setTimeout(30_000, () => end('waiting'))
    socket.on('data', () => end('answered'))
    socket.on('close', () => end('closed'))
    socket.on('error', () => end('closed'))
    socket.write('GET /jwks HTTP/1.1\r\nHost: localhost\r\n\r\n')
  })

test('when a worker is killed, every connection is answered or closed', async () => {
  const { server, close } = await startOn({ WORKERS: '2' })
  const results: Promise<string>[] = []

  for (let round = 0; round < 3; round += 1) {
    const asking = setInterval(() => results.push(ask(server)), 1)
    await wait(100)
    process.kill(server.children()[0]!, 'SIGKILL')
    await wait(300)
    clearInterval(asking)
    while (server.children().length < 2) await wait(50)
    await wait(1_000) // the new worker listens
  }

  const counts = Object.groupBy(await Promise.all(results), (result) => result)
  assert.equal(counts.waiting?.length ?? 0, 0, JSON.stringify(counts.waiting))
  assert.ok((counts.answered?.length ?? 0) > 100)
  await close()
})
