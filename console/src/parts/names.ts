/** The names of ids, read with one request for a page of data. */
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Answer, readQuery, useContextKey } from '../api/queries.ts'

type Name = Answer<'/admin/names'>[string]

export type Names = {
  of: (id: string | null | undefined) => Name | undefined
  /** While it is false, a missing name says nothing. */
  isLoaded: boolean
}

/** What the server accepts in one request. */
const MAX = 200
/** 5 s, in ms: before a read that has failed is repeated. */
const RETRY = 5_000

export function useNames(ids: readonly (string | null | undefined)[]): Names {
  const context = useContextKey()
  const wanted = [...new Set(ids.filter((id): id is string => Boolean(id)))].sort()
  const slices = Array.from({ length: Math.ceil(wanted.length / MAX) }, (_, index) =>
    wanted.slice(index * MAX, (index + 1) * MAX),
  )
  return useQueries({
    queries: slices.map((slice) => ({
      ...readQuery(context, '/admin/names', { query: { ids: slice.join(',') } }),
      staleTime: 60_000,
    })),
    combine: (results) => {
      const known: Record<string, Name> = Object.assign({}, ...results.map(({ data }) => data))
      return {
        of: (id) => (id ? known[id] : undefined),
        isLoaded: results.every(({ isSuccess }) => isSuccess),
      }
    },
  })
}

/** Names of rows that are added one by one: only new ids are read, in one request at a time. */
export function useAddedNames(ids: readonly (string | null | undefined)[]): Names {
  const context = useContextKey()
  const client = useQueryClient()
  const [known, setKnown] = useState<Record<string, Name | undefined>>({})
  const isReading = useRef(false)
  const [failures, setFailures] = useState(0)
  const wanted = new Set(ids.filter((id): id is string => Boolean(id) && !Object.hasOwn(known, id!)))
  const missing = [...wanted].slice(0, MAX).join(',')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read makes room for what is missing
  useEffect(() => {
    if (missing === '' || isReading.current) return
    isReading.current = true
    const add = (found: Record<string, Name>) => {
      isReading.current = false
      setFailures(0)
      setKnown((before) => ({
        ...before,
        ...Object.fromEntries(missing.split(',').map((id) => [id, found[id]])),
      }))
    }
    void client.fetchQuery(readQuery(context, '/admin/names', { query: { ids: missing } })).then(add, () => {
      isReading.current = false
      setTimeout(() => setFailures((before) => before + 1), RETRY) // reads again what is missing then
    })
  }, [client, context, missing, known, failures])
  return { of: (id) => (id ? known[id] : undefined), isLoaded: missing === '' }
}
