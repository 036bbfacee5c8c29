import { useContext, useEffect, useId, useRef, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { faultOf } from '../../api/problem.ts'
import { describedBy, FormState, Notes } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { useNote } from '../../parts/settings/SettingsForm.tsx'
import { texts } from '../../texts/texts.ts'
import { useEditing } from './editing.tsx'
import './Uris.css'

type Field = 'redirectUris' | 'postLogoutRedirectUris' | 'allowedOrigins'

/** The addresses of a list in the form, without empty fields. */
export const urisIn = (data: FormData, field: Field): string[] =>
  data
    .getAll(field)
    .map((value) => String(value).trim())
    .filter(Boolean)

type Line = { key: number; uri: string; isNew?: boolean }

/** The lines of a list: those that are stored, and one that a link proposes. */
function useLines(field: Field) {
  const { system } = useEditing()
  const { text } = usePageSearch()
  const proposed = system[field].includes(text(field)) ? '' : text(field)
  const [lines, setLines] = useState((): Line[] => {
    const uris = [...system[field], ...(proposed ? [proposed] : [])]
    return uris.map((uri, key) => ({ key, uri }))
  })
  const add = () =>
    setLines((before) => [
      ...before,
      { key: Math.max(-1, ...before.map(({ key }) => key)) + 1, uri: '', isNew: true },
    ])
  const remove = (key: number) => setLines((before) => before.filter((line) => line.key !== key))
  return { lines, proposed, add, remove }
}

/** A list of addresses, one field each. */
export function Uris({ field, title, lead }: { field: Field; title: string; lead: string }) {
  const { system } = useEditing()
  const { canChange } = usePlace()
  const { error } = useContext(FormState)
  const note = useNote()
  const id = useId()
  const adding = useRef<HTMLButtonElement>(null)
  const { lines, proposed, add, remove } = useLines(field)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line that is added or removed is a change
  useEffect(note, [note, lines])
  const isChanged = lines.length !== system[field].length
  const fault = lines.some((_, at) => faultOf(error, `/${field}/${at}`))
    ? undefined
    : faultOf(error, `/${field}`)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would put its legend above the grid of the row
    <div className="field" role="group" aria-labelledby={id} data-list data-changed={isChanged || undefined}>
      <label id={id} htmlFor={`${id}-0`}>
        {title}
      </label>
      <div className="uris">
        {lines.length === 0 && <p className="muted">{texts.settings.noUris}</p>}
        {lines.map(({ key, uri, isNew }, at) => (
          <Uri
            key={key}
            id={`${id}-${at}`}
            field={field}
            label={title}
            uri={uri}
            fault={faultOf(error, `/${field}/${at}`)}
            hint={uri !== '' && uri === proposed ? texts.settings.proposedUri : undefined}
            hasFocus={isNew || (uri !== '' && uri === proposed)}
            onRemove={
              canChange
                ? () => {
                    remove(key)
                    adding.current?.focus()
                  }
                : undefined
            }
          />
        ))}
        {canChange && (
          <button ref={adding} type="button" onClick={add}>
            <Icon name="plus" />
            {texts.parts.add}
          </button>
        )}
      </div>
      <p className="hint">{lead}</p>
      {fault && <p className="fault">{fault}</p>}
    </div>
  )
}

type UriProps = {
  id: string
  field: Field
  label: string
  uri: string
  fault: string | undefined
  hint: string | undefined
  hasFocus: boolean | undefined
  onRemove: (() => void) | undefined
}

function Uri({ id, field, label, uri, fault, hint, hasFocus = false, onRemove }: UriProps) {
  return (
    <div className="uri">
      <input
        id={id}
        name={field}
        aria-label={label}
        defaultValue={uri}
        placeholder="https://"
        autoComplete="off"
        maxLength={2_000}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy({ id, hint, fault })}
        // biome-ignore lint/a11y/noAutofocus: the button or the link that was opened leads to this field
        autoFocus={hasFocus}
      />
      {onRemove && (
        <button
          type="button"
          className="icon-button"
          aria-label={`${texts.parts.remove}: ${uri || label}`}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      )}
      <Notes id={id} hint={hint} fault={fault} />
    </div>
  )
}
