import { useNavigate } from '@tanstack/react-router'
import { useChange, useContextKey } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { OneSecret } from '../../parts/OneSecret.tsx'
import { PickerField } from '../../parts/Picker.tsx'
import { useSources } from '../../parts/sources.ts'
import { texts } from '../../texts/texts.ts'
import { bodyOf, WebhookFields } from './WebhookFields.tsx'

/** `systemId`: the application, if it is known; otherwise it is picked. */
export function NewWebhook({ systemId, onClose }: { systemId: string; onClose: () => void }) {
  const context = useContextKey()
  const navigate = useNavigate()
  const sources = useSources()
  const t = texts.webhooks
  const create = useChange((api, data: FormData) =>
    api.post('/admin/systems/{systemId}/webhooks', {
      path: { systemId: systemId || String(data.get('systemId')) },
      body: bodyOf(data),
    }),
  )
  const created = create.data
  if (created) {
    const toPage = () => {
      onClose()
      void navigate({
        to: '/$context/webhooks/$systemId/$webhookId',
        params: { context, systemId: created.systemId, webhookId: created.id },
      })
    }
    return <OneSecret title={t.created} lead={t.secretLead} secret={created.secret} onClose={toPage} />
  }
  return (
    <Dialog title={t.new} onClose={onClose}>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        {!systemId && <PickerField name="systemId" label={t.pickSystem} source={sources.systems()} />}
        <WebhookFields />
      </Form>
    </Dialog>
  )
}
