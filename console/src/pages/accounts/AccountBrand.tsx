import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { CheckField, Field, isChecked, textOf } from '../../parts/Form.tsx'
import { ImageUpload } from '../../parts/images/ImageUpload.tsx'
import { useEdited } from '../../parts/settings/editing.tsx'
import { Section } from '../../parts/settings/SettingsForm.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import type { Account } from './account.ts'

/** The color of an organization, which its active members see. */
export function AccountColor() {
  const { resource } = useEdited<Account>()
  const { color, logoUrl } = resource.branding
  const t = texts.settings
  const read = (data: FormData) => ({
    branding: {
      ...(logoUrl && { logoUrl }), // kept: a change replaces the whole object
      ...(isChecked(data, 'hasColor') && { color: textOf(data, 'branding/color') }),
    },
  })
  return (
    <Section title={t.brand} lead={texts.accounts.brandLead} read={read}>
      <CheckField name="hasColor" label={t.ownColor} checked={color !== undefined} />
      <Field name="branding/color" label={t.color} hint={t.colorHint}>
        {(control) => <input {...control} type="color" defaultValue={color ?? '#3a45c4'} />}
      </Field>
    </Section>
  )
}

/** 32 kB; shown small. */
const LIMITS = { bytes: 32_768, side: 256 }

/** The logo of an organization: it is stored at once. */
export function AccountLogo() {
  const { resource: account, set } = useEdited<Account>()
  const { canChange } = usePlace()
  const toast = useToast()
  const path = { accountId: account.id }
  const onSuccess = (saved: Account) => {
    set(saved)
    toast(texts.parts.saved)
  }
  const upload = useChange(
    (api, body: Uint8Array<ArrayBuffer>) =>
      api.put('/admin/accounts/{accountId}/branding/logo', { path, body }),
    { onSuccess },
  )
  const remove = useChange(
    async (api) => {
      await api.delete('/admin/accounts/{accountId}/branding/logo', { path })
      return api.get('/admin/accounts/{accountId}', { path })
    },
    { onSuccess },
  )
  const t = texts.images
  return (
    <section className="panel">
      <h2>{t.logo}</h2>
      <ImageUpload
        label={t.logo}
        hint={t.smallLead}
        address={account.branding.logoUrl}
        mode="light"
        limits={LIMITS}
        upload={upload}
        remove={remove}
        disabled={!canChange}
      />
    </section>
  )
}
