import { type FormEvent, useId, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { faultOf } from '../../api/problem.ts'
import { FormProblem } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { texts } from '../../texts/texts.ts'
import { Conflict, useEditing, useSave } from './editing.tsx'
import './Uris.css'

type Props = {
  field: 'redirectUris' | 'postLogoutRedirectUris' | 'allowedOrigins'
  title: string
  lead: string
}

/** Addresses that are added and removed one at a time. */
export function Uris({ field, title, lead }: Props) {
  const { system } = useEditing()
  const { canChange } = usePlace()
  const save = useSave()
  const uris = system[field]
  return (
    <section className="panel">
      <h2>{title}</h2>
      <p className="muted">{lead}</p>
      {uris.length === 0 && <p>{texts.settings.noUris}</p>}
      <ul className="rows">
        {uris.map((uri) => (
          <li key={uri}>
            <code>{uri}</code>
            {canChange && (
              <button
                type="button"
                className="icon-button small"
                aria-label={`${texts.parts.remove}: ${uri}`}
                onClick={() => save.mutate({ [field]: uris.filter((each) => each !== uri) })}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {canChange && <NewUri field={field} />}
      {save.error && (
        <>
          <FormProblem error={save.error} />
          <Conflict error={save.error} />
        </>
      )}
    </section>
  )
}

function NewUri({ field }: Pick<Props, 'field'>) {
  const { system } = useEditing()
  const save = useSave()
  const id = useId()
  const { text, set } = usePageSearch()
  const uris = system[field]
  const proposed = uris.includes(text(field)) ? '' : text(field)
  const [uri, setUri] = useState(proposed)
  const fault = faultOf(save.error, `/${field}/${uris.length}`) ?? faultOf(save.error, `/${field}`)
  const add = (event: FormEvent) => {
    event.preventDefault()
    const value = uri.trim()
    if (!value || save.isPending) return
    const clear = () => {
      setUri('')
      if (proposed) set({ [field]: undefined }, { replace: true })
    }
    if (uris.includes(value)) clear()
    else save.mutate({ [field]: [...uris, value] }, { onSuccess: clear })
  }
  const hint = proposed !== '' && uri === proposed
  return (
    <form className="form" onSubmit={add}>
      {!fault && <FormProblem error={save.error} />}
      <Conflict error={save.error} />
      <div className="field">
        <label htmlFor={id}>{texts.settings.addUri}</label>
        <div className="with-button">
          <input
            id={id}
            value={uri}
            onChange={(event) => setUri(event.target.value)}
            placeholder="https://"
            autoComplete="off"
            maxLength={2_000}
            aria-invalid={fault !== undefined}
            aria-describedby={fault ? `${id}-fault` : hint ? `${id}-hint` : undefined}
            // biome-ignore lint/a11y/noAutofocus: the link that was opened leads to this field
            autoFocus={hint}
          />
          <button type="submit" className={hint ? 'primary' : undefined}>
            <Icon name="plus" />
            {texts.parts.add}
          </button>
        </div>
        {hint && (
          <p id={`${id}-hint`} className="hint">
            {texts.settings.proposedUri}
          </p>
        )}
        {fault && (
          <p id={`${id}-fault`} className="fault">
            {fault}
          </p>
        )}
      </div>
    </form>
  )
}
