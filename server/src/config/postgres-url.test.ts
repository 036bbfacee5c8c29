import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownSettings } from '../resources/installation/settings.ts'
import { readConfig } from './config.ts'
import { readPostgresUrl } from './postgres-url.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'
const read = (DATABASE_URL: string) => readConfig({ DATABASE_URL, SECRET_KEY })

test('a DATABASE_URL with several servers has one URL for each', () => {
  const rest = '/name?target_session_attrs=read-write&sslmode=require'

  const { urls, needsWritable } = readPostgresUrl(`postgres://me:hush@a:5433,b,[::1]:5434${rest}`)
  const single = readPostgresUrl('postgresql://a/name')

  assert.deepEqual(
    urls,
    ['a:5433', 'b', '[::1]:5434'].map((server) => `postgres://me:hush@${server}${rest}`),
  )
  assert.equal(needsWritable, true)
  assert.deepEqual(single, { urls: ['postgresql://a/name'], needsWritable: false })
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
