import { useState } from 'react'
import { brandTones, initialOf, isShownImage } from '../../../../server/src/texts/brand.ts'
import { CheckField, Field, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { Section, SettingsForm } from '../../parts/settings/SettingsForm.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { BrandImages } from './BrandImages.tsx'
import { useEditing } from './editing.tsx'
import './Brand.css'

type Look = { name: string; logoUrl: string; logoDarkUrl: string | undefined; color: string | undefined }

/** The color of the sign-in page without one of the system. */
const DEFAULT_COLOR = '#1c1c21'

/** Name, logo and color, with a drawing of the sign-in page. */
export function Brand() {
  const { system } = useEditing()
  const { branding, name } = system
  const [look, setLook] = useState<Look>({
    name,
    logoUrl: branding.logoUrl ?? '',
    logoDarkUrl: branding.logoDarkUrl,
    color: branding.color,
  })
  const { logoDarkUrl, faviconUrl } = branding // kept: a change replaces the whole object
  const t = texts.settings
  const read = (data: FormData) => {
    const logoUrl = textOf(data, 'branding/logoUrl')
    const color = isChecked(data, 'hasColor') ? textOf(data, 'branding/color') : undefined
    return {
      name: textOf(data, 'name') ?? '',
      branding: {
        ...(logoUrl && { logoUrl }),
        ...(logoDarkUrl && { logoDarkUrl }),
        ...(faviconUrl && { faviconUrl }),
        ...(color && { color }),
      },
    }
  }
  return (
    <div className="panels">
      <div
        className="brand-forms"
        onInput={({ currentTarget }) => {
          const form = currentTarget.querySelector('form')
          if (!form) return
          const { name: typed, branding: own } = read(new FormData(form))
          setLook({ name: typed, logoUrl: own.logoUrl ?? '', logoDarkUrl, color: own.color })
        }}
      >
        <SettingsForm>
          <Section title={t.brand} lead={t.brandLead} read={read}>
            <TextField
              name="name"
              label={texts.systems.newName}
              hint={texts.systems.newNameHint}
              value={name}
              required
              maxLength={100}
            />
            <TextField
              key={branding.logoUrl}
              name="branding/logoUrl"
              label={t.logoUrl}
              hint={t.logoUrlHint}
              value={branding.logoUrl ?? ''}
              placeholder="https://"
              isOptional
              maxLength={2_000}
            />
            <CheckField name="hasColor" label={t.ownColor} checked={branding.color !== undefined} />
            <Field name="branding/color" label={t.color} hint={t.colorHint}>
              {(control) => <input {...control} type="color" defaultValue={branding.color ?? '#3a45c4'} />}
            </Field>
          </Section>
        </SettingsForm>
        <BrandImages
          onChange={({ branding: own }) =>
            setLook((before) => ({ ...before, logoUrl: own.logoUrl ?? '', logoDarkUrl: own.logoDarkUrl }))
          }
        />
      </div>
      <section className="panel">
        <h2>{t.preview}</h2>
        <div className="previews">
          <Card look={look} mode="light" />
          <Card look={look} mode="dark" />
        </div>
      </section>
    </div>
  )
}

/** A drawing of the card of the sign-in page. */
function Card({
  look: { name, logoUrl: plain, logoDarkUrl, color },
  mode,
}: {
  look: Look
  mode: 'light' | 'dark'
}) {
  const [failed, setFailed] = useState('')
  const t = texts.settings
  const tones = brandTones(color ?? DEFAULT_COLOR)?.[mode]
  const logoUrl = (mode === 'dark' && plain !== '' && logoDarkUrl) || plain
  const hasLogo = isShownImage(logoUrl) && failed !== logoUrl
  const filled = { background: tones?.fill, color: tones?.onFill }
  return (
    <figure className="sign-in-preview" data-mode={mode}>
      <figcaption>{mode === 'light' ? t.previewLight : t.previewDark}</figcaption>
      <div className="preview-card" aria-hidden="true">
        {hasLogo ? (
          <img src={logoUrl} alt="" onError={() => setFailed(logoUrl)} />
        ) : (
          <span className="preview-initial" style={filled}>
            {initialOf(name)}
          </span>
        )}
        <strong>{fill(t.previewSignIn, { name })}</strong>
        <span className="preview-label">{t.previewEmail}</span>
        <span className="preview-field" />
        <span className="preview-button" style={filled}>
          {t.previewContinue}
        </span>
        <span className="preview-link" style={{ color: tones?.text }}>
          {t.previewForgot}
        </span>
      </div>
      {failed !== '' && failed === logoUrl && mode === 'light' && <p className="fault">{t.logoFailed}</p>}
    </figure>
  )
}
