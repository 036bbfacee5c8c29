/**
 * The sample pages in one language. Most samples are in the language that shows best what they are for, so a
 * worker draws them all with the texts of one language in place of those of every other.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { CATALOGS, LANGUAGE_TAGS, type Locale } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'

export type Samples = Record<string, { html: string; system?: SystemLook }>

export async function samplesIn(locale: Locale): Promise<Samples> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { locale }, execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<Samples>()
  worker.once('message', resolve).once('error', reject)
  return promise.finally(() => worker.terminate())
}

if (!isMainThread && (workerData as { locale?: Locale } | null)?.locale) {
  const { locale } = workerData as { locale: Locale }
  const texts: Record<string, object> = { ...CATALOGS }
  for (const each of Object.keys(texts)) {
    Object.assign(texts[each]!, CATALOGS[locale])
    LANGUAGE_TAGS[each as Locale] = LANGUAGE_TAGS[locale]
  }
  const { samplePages } = await import('./sample-pages.ts')
  parentPort!.postMessage(samplePages)
}
