#!/usr/bin/env node
// Exits with 0 if the server on this machine is ready, otherwise with 1: for containers without curl.
import { get } from 'node:http'

/** 3 s, in ms. */
const TIMEOUT = 3_000
const { PORT: port = 3000, HOST: host = '127.0.0.1' } = process.env
/** An address that means every interface. */
const hostname = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host

const finish = (fault) => {
  if (fault) process.stderr.write(`${fault}\n`)
  process.exit(fault ? 1 : 0)
}

get({ hostname, port, path: '/health', timeout: TIMEOUT }, ({ statusCode }) =>
  finish(statusCode === 200 ? undefined : `GET /health: ${statusCode}`),
)
  .on('timeout', () => finish(`GET /health: no response within ${TIMEOUT} ms`))
  .on('error', ({ message }) => finish(`GET /health: ${message}`))
