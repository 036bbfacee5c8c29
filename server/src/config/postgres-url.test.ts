import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownSettings } from '../resources/installation/settings.ts'
import { readConfig } from './config.ts'
import { readPostgresUrl } from './postgres-url.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'
const read = (DATABASE_URL: string) => readConfig({ DATABASE_URL, SECRET_KEY })

test('a DATABASE_URL with several servers has one URL for each', () => {
  const rest = '/name?target_session_attrs=read-write&application_name=me'

  const { urls, needsWritable } = readPostgresUrl(
    `postgres://me:hush@a:5433,b,[::1]:5434${rest}&sslmode=require`,
  )
  const single = readPostgresUrl('postgresql://a/name')

  assert.deepEqual(
    urls,
    ['a:5433', 'b', '[::1]:5434'].map((server) => `postgres://me:hush@${server}${rest}`),
  )
  assert.equal(needsWritable, true)
  assert.deepEqual([single.urls, single.needsWritable], [['postgresql://a/name'], false])
})

test('a DATABASE_URL whose servers would not be used as written stops the start with one line', () => {
  const refused = [
    'postgres://a,b/name',
    'postgres://a:5432,b:5432/name?target_session_attrs=any',
    'postgres://a/name?target_session_attrs=prefer-standby',
    'postgres://a,/name?target_session_attrs=read-write',
    'postgres:///name?host=a,b&target_session_attrs=read-write',
    'postgres://a:port/name',
    'mysql://a/name',
  ]

  for (const url of refused)
    assert.throws(
      () => read(url),
      {
        name: 'ConfigError',
        message:
          /^DATABASE_URL must be a postgres:\/\/ URL; .*; several servers .* target_session_attrs=read-write\.$/,
      },
      url,
    )
})

test('the settings show all servers without user name, password and parameters', () => {
  const config = read('postgres://me:hush@a:5433,b/name?target_session_attrs=read-write&password=hush')

  const shown = shownSettings(config).find(({ name }) => name === 'DATABASE_URL')

  assert.equal(shown?.value, 'postgres://a:5433,b/name')
})

test('parameters of TLS that would not be observed stop the start with a line that says what is possible', () => {
  const refused: Record<string, RegExp> = {
    'sslmode=no-verify': /sslmode is one of disable, allow, prefer, require, verify-ca, verify-full/,
    'sslmode=verify-full': /sslrootcert where sslmode is verify-full/,
    'sslmode=verify-ca': /sslrootcert where sslmode is verify-ca/,
    'sslmode=require&sslrootcert=system': /sslmode=verify-full where sslrootcert is system/,
    'sslmode=require&sslcert=/a.pem': /both sslcert and sslkey/,
    'sslnegotiation=direct': /sslmode=require or stronger/,
    'ssl=false': /ssl is one of true/,
    'sslmode=require&sslcrl=/a.pem': /without sslcrl/,
    'ssl_min_protocol_version=SSLv3': /ssl_min_protocol_version is one of/,
  }
  for (const [parameters, reason] of Object.entries(refused))
    assert.throws(
      () => read(`postgres://a/name?${parameters}`),
      (error: Error) =>
        /^DATABASE_URL must be a postgres:\/\/ URL/.test(error.message) && reason.test(error.message),
      parameters,
    )
  const modes = ['', 'ssl=true', 'sslrootcert=system', 'sslmode=allow'].map(
    (parameters) => readPostgresUrl(`postgres://a/name?${parameters}`).tls.mode,
  )
  assert.deepEqual(modes, ['prefer', 'require', 'verify-full', 'allow'])
})
