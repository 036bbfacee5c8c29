import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { brandTones } from '../../../../server/src/texts/brand.ts'
import { apiOf } from '../../api/call.ts'
import { useMe, usePlace } from '../../api/context.ts'
import { type Answer, useChange, useRead } from '../../api/queries.ts'
import { FormProblem } from '../../parts/Failed.tsx'
import { Form, TextField, textOf } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, LANGUAGES, type Language, texts } from '../../texts/texts.ts'
import type { System } from './system.ts'
import './EmailTexts.css'

type Kind = Answer<'/admin/systems/{systemId}/email-texts'>[number]
type Text = Answer<'/admin/systems/{systemId}/email-texts/{kind}/{locale}'>
type Shown = Text['preview']
type Fields = Pick<Text, 'subject' | 'heading' | 'paragraphs' | 'button' | 'footer'>

/** The texts that the application has of its own in its emails. */
export function EmailTexts({ system }: { system: System }) {
  const t = texts.emailTexts
  const { user } = useMe()
  const [kind, setKind] = useState<Kind['kind']>('access_approved')
  const preferred = (user.locale ?? 'en').split('-')[0]! as Language
  const [locale, setLocale] = useState<Language>(preferred in LANGUAGES ? preferred : 'en')
  const kinds = useRead('/admin/systems/{systemId}/email-texts', { path: { systemId: system.id } })
  const path = { systemId: system.id, kind, locale }
  const read = useRead('/admin/systems/{systemId}/email-texts/{kind}/{locale}', { path })
  const chosen = kinds.data?.find((each) => each.kind === kind)
  const text = read.data?.kind === kind && read.data.locale === locale ? read.data : undefined
  return (
    <section className="panel">
      <h2>{t.title}</h2>
      <p className="muted">{t.lead}</p>
      <div className="email-choice">
        <label>
          <span>{t.kind}</span>
          <select value={kind} onChange={({ target }) => setKind(target.value as Kind['kind'])}>
            {(kinds.data ?? []).map(({ kind: each, locales }) => (
              <option key={each} value={each}>
                {t.kinds[each]}
                {locales.length > 0 && ` (${t.own})`}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t.language}</span>
          <select value={locale} onChange={({ target }) => setLocale(target.value as Language)}>
            {Object.entries(LANGUAGES).map(([each, name]) => (
              <option key={each} value={each}>
                {name}
                {chosen?.locales.includes(each as Language) && ` (${t.own})`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {chosen && text && (
        <Editor key={`${kind} ${locale} ${text.setBy}`} system={system} kind={chosen} text={text} />
      )}
    </section>
  )
}

const fieldsIn = (data: FormData): Fields => ({
  subject: textOf(data, 'subject') ?? null,
  heading: textOf(data, 'heading') ?? null,
  paragraphs: linesOf(textOf(data, 'paragraphs')),
  button: textOf(data, 'button') ?? null,
  footer: textOf(data, 'footer') ?? null,
})

function linesOf(text: string | undefined): string[] | null {
  const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim())
  const filled = lines.filter((line) => line !== '')
  return filled.length > 0 ? filled : null
}

function Editor({ system, kind, text }: { system: System; kind: Kind; text: Text }) {
  const t = texts.emailTexts
  const toast = useToast()
  const { canChange, kind: context } = usePlace()
  const [typed, setTyped] = useState<Fields>(text)
  const path = { systemId: system.id, kind: kind.kind, locale: text.locale }
  const isOfPlatform = kind.authority === 'platform' || text.setBy === 'platform'
  const mayWrite = canChange && (context === 'platform' || !isOfPlatform)
  const save = useChange(
    (api, body: Fields) => api.put('/admin/systems/{systemId}/email-texts/{kind}/{locale}', { path, body }),
    { onSuccess: () => toast(texts.parts.saved) },
  )
  const reset = useChange(
    (api) => api.delete('/admin/systems/{systemId}/email-texts/{kind}/{locale}', { path }),
    { onSuccess: () => toast(texts.parts.saved) },
  )
  const test = useChange(
    (api) => api.post('/admin/systems/{systemId}/email-texts/{kind}/{locale}/test', { path }),
    { onSuccess: ({ email }) => toast(fill(t.tested, { email })) },
  )
  const standard = text.standard
  const button = standard.blocks.find((block) => block.button !== undefined)?.button
  const fields = (
    <>
      {kind.authority === 'platform' && context !== 'platform' && <p className="hint">{t.platformOnly}</p>}
      {kind.authority === 'system' && text.setBy === 'platform' && context !== 'platform' && (
        <p className="hint">{t.setByPlatform}</p>
      )}
      <p className="hint">
        {t.values} <code>{kind.names.map((name) => `{{${name}}}`).join(' ')}</code>
      </p>
      <Line name="subject" value={text.subject} standard={standard.subject} />
      <Line name="heading" value={text.heading} standard={standard.heading} />
      <TextField
        name="paragraphs"
        label={t.paragraphs}
        hint={t.paragraphsHint}
        value={(text.paragraphs ?? []).join('\n')}
        placeholder={standard.blocks.find((block) => block.text !== undefined)?.text ?? ''}
        lines={5}
        isOptional
      />
      {button !== undefined && <Line name="button" value={text.button} standard={button} />}
      <TextField
        name="footer"
        label={t.footer}
        value={text.footer ?? ''}
        placeholder={standard.blocks.at(-1)?.text ?? ''}
        isOptional
        maxLength={1_000}
      />
    </>
  )
  return (
    <div className="panels">
      <div onInput={({ currentTarget }) => setTyped(typedIn(currentTarget) ?? typed)}>
        {mayWrite ? (
          <Form state={save} submit={texts.parts.save} onSubmit={(data) => save.mutate(fieldsIn(data))}>
            {fields}
          </Form>
        ) : (
          <fieldset disabled className="form">
            {fields}
          </fieldset>
        )}
        <div className="email-actions">
          <button type="button" onClick={() => !test.isPending && test.mutate()}>
            {t.test}
          </button>
          {mayWrite && text.setBy !== null && (
            <button type="button" className="danger" onClick={() => !reset.isPending && reset.mutate()}>
              {t.reset}
            </button>
          )}
          <p className="hint">{t.testHint}</p>
          <FormProblem error={test.error ?? reset.error} />
        </div>
      </div>
      <Preview system={system} path={path} typed={typed} stored={text.preview} />
    </div>
  )
}

const typedIn = (place: HTMLElement): Fields | undefined => {
  const form = place.querySelector('form')
  return form ? fieldsIn(new FormData(form)) : undefined
}

type LineProps = { name: 'subject' | 'heading' | 'button'; value: string | null; standard: string }

const Line = ({ name, value, standard }: LineProps) => (
  <TextField
    name={name}
    label={texts.emailTexts[name]}
    value={value ?? ''}
    placeholder={standard}
    isOptional
    maxLength={150}
  />
)

type Path = { systemId: string; kind: Kind['kind']; locale: Language }

/** A drawing of the email with what is typed, once the server accepts it. */
function Preview({
  system,
  path,
  typed,
  stored,
}: {
  system: System
  path: Path
  typed: Fields
  stored: Shown
}) {
  const { key } = usePlace()
  const body = useDeferredValue(typed)
  const { subject, heading, paragraphs, button, footer } = body
  const sent = { subject, heading, paragraphs, button, footer }
  const { data: shown = stored } = useQuery({
    queryKey: [key, 'email preview', path, sent],
    queryFn: () =>
      apiOf(key).post('/admin/systems/{systemId}/email-texts/{kind}/{locale}/preview', { path, body: sent }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const tones = brandTones(system.branding.color ?? '#1c1c21')?.light
  return (
    <section className="email-preview" aria-label={texts.emailTexts.preview}>
      <h3>{texts.emailTexts.preview}</h3>
      <p className="muted">{shown.subject}</p>
      <div className="email-card">
        <p className="email-name">{system.name}</p>
        <strong>{shown.heading}</strong>
        {shown.blocks.map((block, at) => {
          const id = `${at} ${block.text ?? block.code ?? block.button ?? block.link}`
          if (block.code !== undefined) return <code key={id}>{block.code}</code>
          if (block.link !== undefined) return <u key={id}>{block.link}</u>
          if (block.button !== undefined)
            return (
              <span
                key={id}
                className="email-button"
                style={{ background: tones?.fill, color: tones?.onFill }}
              >
                {block.button}
              </span>
            )
          if (block.details)
            return (
              <p key={id}>
                {block.details.map(({ label, value }) => (
                  <span key={label} className="email-detail">
                    {label} <b>{value}</b>
                  </span>
                ))}
              </p>
            )
          return <p key={id}>{block.text}</p>
        })}
      </div>
    </section>
  )
}
