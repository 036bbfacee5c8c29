import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { CheckField, Field, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { useNames } from '../../parts/names.ts'
import { PickerFilter } from '../../parts/Picker.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { useSources } from '../../parts/sources.ts'
import { texts } from '../../texts/texts.ts'
import './Question.css'

const route = getRouteApi('/$context/explain')

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An email address, or the id of a request. */
function whoOf(given: string): Record<string, string | undefined> {
  const isId = UUID.test(given)
  return { userId: undefined, email: isId ? undefined : given, requestId: isId ? given : undefined }
}

/**
 * Who cannot sign in, and where. `onRepeat` is called if the same question is asked again:
 * the answer can have changed.
 */
export function Question({ onRepeat }: { onRepeat: () => void }) {
  const t = texts.explain
  const { kind } = usePlace()
  const search = route.useSearch()
  const { set } = usePageSearch()
  const sources = useSources()
  const systems = useRead('/admin/systems', { query: { pageSize: 3 } }, { enabled: kind === 'platform' })
  const [chosen, setChosen] = useState(search.systemId ?? '')
  const [isMissing, setMissing] = useState(false)
  const [only, ...others] = systems.data?.data.filter(({ platform }) => !platform) ?? []
  const systemId = chosen || (only && others.length === 0 ? only.id : '')
  const { userId = '' } = search
  const user = useNames([userId]).of(userId)
  const who = search.email || search.requestId || (user?.detail ?? user?.name ?? '')
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const given = String(data.get('who')).trim()
    const isWithout = kind === 'platform' && systemId === '' && !UUID.test(given)
    setMissing(isWithout)
    if (isWithout) return event.currentTarget.querySelector<HTMLElement>('[aria-invalid].picker')?.focus()
    onRepeat()
    set({
      ...(userId !== '' && given === who ? { userId } : whoOf(given)),
      systemId: textOf(data, 'systemId'),
      accountId: textOf(data, 'accountId'),
      acr: isChecked(data, 'acr') ? 'mfa' : undefined,
      scope: textOf(data, 'scope'),
      redirectUri: textOf(data, 'redirectUri'),
    })
  }
  return (
    <form className="panel question" onSubmit={ask}>
      <Field name="who" label={t.who} hint={t.whoHint}>
        {(control) => (
          <input {...control} key={who} defaultValue={who} required autoComplete="off" data-shortcut="/" />
        )}
      </Field>
      {kind === 'platform' && (
        <Field
          name="systemId"
          label={t.system}
          hint={t.systemHint}
          fault={isMissing ? t.systemMissing : undefined}
        >
          {({ name, ...control }) => (
            <>
              <PickerFilter
                {...control}
                source={sources.systems()}
                value={systemId}
                placeholder={t.ofRequest}
                onChange={(id) => {
                  setChosen(id)
                  setMissing(false)
                }}
              />
              <input type="hidden" name={name} value={systemId} />
            </>
          )}
        </Field>
      )}
      <button type="submit" className="primary">
        {t.ask}
      </button>
      <Conditions systemId={systemId} />
    </form>
  )
}

/** What the application requests. */
function Conditions({ systemId }: { systemId: string }) {
  const t = texts.explain
  const { kind } = usePlace()
  const search = route.useSearch()
  const isAsked = Boolean(search.accountId || search.acr || search.scope || search.redirectUri)
  return (
    <details open={isAsked}>
      <summary>{t.conditions}</summary>
      <div className="conditions">
        <CheckField name="acr" label={t.mfa} hint={t.mfaHint} checked={search.acr === 'mfa'} />
        {kind !== 'account' && <Organization key={systemId} systemId={systemId} />}
        <TextField name="scope" label={t.scopes} hint={t.scopesHint} value={search.scope ?? ''} />
        <TextField
          name="redirectUri"
          label={t.redirectUri}
          hint={t.redirectUriHint}
          value={search.redirectUri ?? ''}
        />
      </div>
    </details>
  )
}

function Organization({ systemId }: { systemId: string }) {
  const t = texts.explain
  const search = route.useSearch()
  const sources = useSources()
  const [id, setId] = useState(systemId === (search.systemId ?? '') ? (search.accountId ?? '') : '')
  return (
    <Field name="organization" label={t.organization} hint={t.organizationHint}>
      {(control) => (
        <>
          <PickerFilter id={control.id} source={sources.accounts(systemId)} value={id} onChange={setId} />
          <input type="hidden" name="accountId" value={id} />
        </>
      )}
    </Field>
  )
}
