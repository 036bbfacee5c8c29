import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { Facts } from '../../parts/Facts.tsx'
import { FormProblem } from '../../parts/Failed.tsx'
import { count, fill, formatNumber, textNamed, texts } from '../../texts/texts.ts'
import { RefusedLines } from './RefusedLines.tsx'
import type { Line } from './read.ts'
import type { Refused } from './slices.ts'
import type { useImport } from './useImport.ts'
import '../../parts/progress.css'

type Props = { work: ReturnType<typeof useImport>; lines: readonly Line[]; name: string }

/** The dry run, then the import, with the progress and what is refused. */
export function RunImport({ work, lines, name }: Props) {
  const { key } = usePlace()
  const t = texts.imports
  const { phase, refused, error } = work
  return (
    <section className="run">
      <FormProblem error={error} />
      {phase === 'ready' ? (
        <p className="muted">{t.checkLead}</p>
      ) : (
        <Progress work={work} of={lines.length} />
      )}
      {phase === 'stopped' && <p className="muted">{t.stopped}</p>}
      <p className="button-row">
        {(phase === 'running' || phase === 'checking') && (
          <button type="button" onClick={work.stop}>
            {t.stop}
          </button>
        )}
        {phase === 'ready' && (
          <button type="button" className="primary" onClick={() => void work.check()}>
            {t.check}
          </button>
        )}
        {phase === 'checked' && (
          <button type="button" onClick={work.back}>
            {t.changeColumns}
          </button>
        )}
        {(phase === 'checked' || phase === 'stopped') && (
          <button type="button" className="primary" onClick={() => void work.run()}>
            {phase === 'checked' ? count(t.run, work.created) : t.goOn}
          </button>
        )}
        {phase === 'finished' && (
          <Link className="button primary" to="/$context/users" params={{ context: key }}>
            {t.toUsers}
          </Link>
        )}
      </p>
      {refused.length > 0 && <RefusedLines refused={refused} name={name} />}
    </section>
  )
}

function Progress({ work, of: all }: { work: Props['work']; of: number }) {
  const t = texts.imports
  const { phase, done, created, refused, ignored } = work
  const isDryRun = phase === 'checking' || phase === 'checked'
  const progress = fill(t.progress, { done: formatNumber(done), all: formatNumber(all) })
  const status = { checking: `${t.checking} ${progress}`, checked: t.checked, finished: t.finished }
  return (
    <>
      <div className="progress">
        <progress max={all} value={done} aria-label={t.title} />
        <span role="status">{status[phase as keyof typeof status] ?? progress}</span>
      </div>
      <Facts
        facts={[
          [isDryRun ? t.wouldCreate : t.created, formatNumber(created)],
          [isDryRun ? t.wouldRefuse : t.refused, formatNumber(refused.length)],
        ]}
      />
      <Reasons refused={refused} />
      {ignored.length > 0 && <p className="notice">{fill(t.ignored, { fields: ignored.join(', ') })}</p>}
    </>
  )
}

/** How many lines are refused for which reason. */
function Reasons({ refused }: { refused: readonly Refused[] }) {
  const t = texts.imports
  const byCode = new Map<string, number>()
  for (const { code } of refused) byCode.set(code, (byCode.get(code) ?? 0) + 1)
  return byCode.size === 0 ? null : (
    <ul className="plain">
      {[...byCode].map(([code, number]) => (
        <li key={code}>
          <strong>{formatNumber(number)}</strong>{' '}
          {code === 'not_json' ? t.notJson : (textNamed(t.codes, code) ?? code)}
        </li>
      ))}
    </ul>
  )
}
