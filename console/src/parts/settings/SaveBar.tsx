import { count as countOf, texts } from '../../texts/texts.ts'
import { FormProblem } from '../Failed.tsx'
import { Conflict, OtherFaults, type useSave } from './editing.tsx'
import './SaveBar.css'

type Props = { count: number; save: ReturnType<typeof useSave>; onDiscard: () => void }

/** At the foot of the page while something is not saved. */
export function SaveBar({ count, save, onDiscard }: Props) {
  const t = texts.settings
  return (
    <div className="save-bar" data-open={count > 0 || undefined}>
      <span role="status">{count > 0 && countOf(t.unsaved, count)}</span>
      {count > 0 && (
        <>
          <FormProblem error={save.error} />
          <OtherFaults error={save.error} sent={save.variables} />
          <Conflict error={save.error} />
          <span className="save-actions">
            <button type="button" onClick={onDiscard}>
              {t.discard}
            </button>
            <button type="submit" className="primary" aria-disabled={save.isPending}>
              {texts.parts.save}
            </button>
          </span>
        </>
      )}
    </div>
  )
}
