/**
 * A reporter of node:test: one line of JSON for each test of a file, and one with the processor time of the
 * process and of the processes that it has started, in seconds.
 */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { processorTime } from './support/processor-time.ts'

export type TimedTest = { file: string; name: string; seconds: number; isPassed: boolean }
export type TimesLine = TimedTest | { processor: number }

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0) continue
    const test: TimedTest = {
      file: relative(process.cwd(), data.file ?? ''),
      name: data.name,
      seconds: data.details.duration_ms / 1_000,
      isPassed: type === 'test:pass',
    }
    yield `${JSON.stringify(test)}\n`
  }
  yield `${JSON.stringify({ processor: processorTime(process.pid) })}\n`
}
