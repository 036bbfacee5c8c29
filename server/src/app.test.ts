import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { newStage } from './http/stage.ts'

test('callers of one turn continue together in order, and later ones wait for the next', async () => {
  const stage = newStage()
  const seen: string[] = []
  const pass = async (name: string) => {
    await stage()
    seen.push(name)
  }

  const first = [pass('a'), pass('b')]
  seen.push('asked')
  await first[0]
  const later = pass('c')
  await first[1]
  seen.push('first are through')
  await later

  assert.deepEqual(seen, ['asked', 'a', 'b', 'first are through', 'c'])
})

test('each caller continues in its own asynchronous context', async () => {
  const stage = newStage()
  const contexts = new AsyncLocalStorage<number>()

  const found = await Promise.all(
    Array.from({ length: 100 }, (_, nth) =>
      contexts.run(nth, async () => {
        await stage()
        const once = contexts.getStore()
        await stage()
        return [once, contexts.getStore()]
      }),
    ),
  )

  assert.deepEqual(
    found,
    found.map((_, nth) => [nth, nth]),
  )
})
