import { useMemo, useState } from 'react'
import { Failed } from '../../parts/Failed.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { ChooseEncoding } from './ChooseEncoding.tsx'
import type { Candidate } from './encoding.ts'
import { Mapping } from './Mapping.tsx'
import { Preview } from './Preview.tsx'
import { RunImport } from './RunImport.tsx'
import { type Read, readText, type Use, useOf, usersOf } from './read.ts'
import { useImport } from './useImport.ts'
import './ImportPage.css'

/** `text`: undefined if the bytes do not say how to decode them. */
export type Chosen = {
  number: number
  name: string
  bytes?: Uint8Array
  text?: string | undefined
  error?: unknown
}

/** A file that was chosen: what its columns mean, its first users, and the import. */
export function ImportFile({ chosen, onOther }: { chosen: Chosen; onOther: () => void }) {
  const t = texts.imports
  const { name, bytes, error } = chosen
  const [decoded, setDecoded] = useState<Candidate>()
  const text = chosen.text ?? decoded?.text
  const read = useMemo(() => (text === undefined ? undefined : readText(text)), [text])
  return (
    <div className="import">
      <p>
        <strong>{name}</strong> {read && <span className="muted">{t.formats[read.format]}</span>}{' '}
        <button type="button" className="link" onClick={onOther}>
          {t.other}
        </button>
      </p>
      {error ? <Failed error={error} /> : null}
      {bytes && chosen.text === undefined && (
        <ChooseEncoding bytes={bytes} chosen={decoded?.encoding} onChoose={setDecoded} />
      )}
      {read && <Import key={decoded?.encoding} read={read} name={name} />}
    </div>
  )
}

function Import({ read, name }: { read: Read; name: string }) {
  const t = texts.imports
  const [uses, setUses] = useState<readonly Use[]>(read.format === 'csv' ? read.header.map(useOf) : [])
  const lines = useMemo(() => (read.format === 'csv' ? usersOf(read, uses) : read.lines), [read, uses])
  const work = useImport(lines)
  const isUsable = lines.length > 0 && (read.format === 'ndjson' || uses.includes('email'))
  return (
    <>
      {work.phase === 'ready' && read.format === 'csv' && (
        <Mapping header={read.header} uses={uses} onChange={setUses} />
      )}
      {!isUsable && (
        <p className="notice">
          {fill(t.unreadable, { message: lines.length === 0 ? t.noLines : t.noEmail })}
        </p>
      )}
      {isUsable && work.phase === 'ready' && <Preview lines={lines} />}
      {isUsable && <RunImport work={work} lines={lines} name={name} />}
    </>
  )
}
