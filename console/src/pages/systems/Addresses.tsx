import { useRef } from 'react'
import { TextField, textOf } from '../../parts/Form.tsx'
import { Section, useNote } from '../../parts/settings/SettingsForm.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { useEditing } from './editing.tsx'

const ADDRESSES = ['clientUri', 'initiateLoginUri', 'policyUri', 'tosUri', 'supportUri'] as const

/** The origin of the first redirect URI that is a web address. */
const originOf = (uris: readonly string[]): string | undefined =>
  uris.map((uri) => URL.parse(uri)).find((url) => url?.protocol === 'https:' || url?.protocol === 'http:')
    ?.origin

/** Where the pages of the server lead to: the application, its policy, its terms and its help. */
export function Addresses() {
  const { system } = useEditing()
  const t = texts.settings
  const note = useNote()
  const fields = useRef<HTMLDivElement>(null)
  const origin = originOf(system.redirectUris)
  const propose = () => {
    const empty = fields.current?.querySelector<HTMLInputElement>('input[name=clientUri]')
    if (!empty || origin === undefined) return
    empty.value = `${origin}/`
    empty.focus()
    note()
  }
  return (
    <Section
      title={t.addresses}
      lead={t.addressesLead}
      read={(data) => Object.fromEntries(ADDRESSES.map((name) => [name, textOf(data, name) ?? null]))}
    >
      <div ref={fields}>
        {ADDRESSES.map((name) => (
          <TextField
            key={name}
            name={name}
            label={t[name]}
            hint={
              name === 'clientUri' && system.clientUri === null && origin !== undefined ? (
                <>
                  {t.clientUriHint}{' '}
                  <button type="button" className="link" onClick={propose}>
                    {fill(t.useOrigin, { origin: `${origin}/` })}
                  </button>
                </>
              ) : (
                t[`${name}Hint`]
              )
            }
            value={system[name] ?? ''}
            placeholder={origin === undefined ? 'https://' : `${origin}/`}
            maxLength={2_000}
            isOptional
          />
        ))}
      </div>
    </Section>
  )
}
