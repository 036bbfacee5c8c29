import { useState } from 'react'
import { versionOf } from '../../api/call.ts'
import { usePlace } from '../../api/context.ts'
import { type Answer, useChange } from '../../api/queries.ts'
import { CheckField, Field, Form, isChecked, textOf } from '../../parts/Form.tsx'
import { ImageUpload } from '../../parts/images/ImageUpload.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'

/** 32 kB; shown small. */
const LIMITS = { bytes: 32_768, side: 256 }

/** The color and the logo of an organization, which its active members see. */
export function AccountBrand({ account }: { account: Answer<'/admin/accounts/{accountId}'> }) {
  const { canChange } = usePlace()
  const toast = useToast()
  const onSuccess = () => toast(texts.parts.saved)
  const path = { accountId: account.id }
  const { branding } = account
  const [hasColor, setHasColor] = useState(branding.color !== undefined)
  const version = versionOf(account)
  const save = useChange(
    (api, color: string | undefined) =>
      api.patch('/admin/accounts/{accountId}', {
        path,
        ...(version && { headers: { 'If-Match': version } }),
        body: {
          branding: {
            ...(branding.logoUrl && { logoUrl: branding.logoUrl }),
            ...(color && { color }),
          },
        },
      }),
    { onSuccess },
  )
  const upload = useChange(
    (api, body: Uint8Array<ArrayBuffer>) =>
      api.put('/admin/accounts/{accountId}/branding/logo', { path, body }),
    { onSuccess },
  )
  const remove = useChange((api) => api.delete('/admin/accounts/{accountId}/branding/logo', { path }), {
    onSuccess,
  })
  const t = texts.settings
  const fields = (
    <>
      <CheckField name="hasColor" label={t.ownColor} checked={hasColor} onChange={setHasColor} />
      {hasColor && (
        <Field name="branding/color" label={t.color} hint={t.colorHint}>
          {(control) => <input {...control} type="color" defaultValue={branding.color ?? '#3a45c4'} />}
        </Field>
      )}
    </>
  )
  return (
    <section className="panel">
      <h2>{t.brand}</h2>
      <p className="muted">{texts.accounts.brandLead}</p>
      <ImageUpload
        label={texts.images.logo}
        hint={texts.images.smallLead}
        address={branding.logoUrl}
        mode="light"
        limits={LIMITS}
        upload={upload}
        remove={remove}
        disabled={!canChange}
      />
      {canChange ? (
        <Form
          state={save}
          submit={texts.parts.save}
          onSubmit={(data) =>
            save.mutate(isChecked(data, 'hasColor') ? textOf(data, 'branding/color') : undefined)
          }
        >
          {fields}
        </Form>
      ) : (
        <fieldset disabled className="form">
          {fields}
        </fieldset>
      )}
    </section>
  )
}
