import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { versionOf } from '../../api/call.ts'
import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { RotateSecret } from '../../parts/RotateSecret.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { useAct } from '../../parts/useAct.ts'
import { texts } from '../../texts/texts.ts'
import { Resend } from './Resend.tsx'
import { bodyOf, WebhookFields } from './WebhookFields.tsx'
import type { Webhook } from './webhook.ts'

type Props = { webhook: Webhook; reload: () => void }
type Open = 'edit' | 'rotate' | 'remove' | 'resend' | 'missed' | null

/** What can be done with a webhook. */
export function WebhookActions({ webhook, reload }: Props) {
  const { canChange } = usePlace()
  const [open, setOpen] = useState<Open>(null)
  const [disabledAt, setDisabledAt] = useState<string>()
  const act = useAct()
  const t = texts.webhooks
  if (!canChange) return null
  const path = { systemId: webhook.systemId, webhookId: webhook.id }
  const one = '/admin/systems/{systemId}/webhooks/{webhookId}'
  const test = () => act((api) => api.post(`${one}/test`, { path }), t.tested)
  const set = (enabled: boolean) =>
    act((api) => api.patch(one, { path, body: { enabled } }), enabled ? t.enabled : t.disabled, {
      undo: (api) => api.patch(one, { path, body: { enabled: !enabled } }),
    })
  /** Enables it and offers to send what was missed: the webhook was last changed when it was disabled. */
  const enable = async () => {
    setDisabledAt(webhook.updatedAt)
    if (await set(true)) setOpen('missed')
  }
  const close = () => setOpen(null)
  return (
    <>
      <button type="button" className="primary" onClick={() => void (webhook.enabled ? test() : enable())}>
        {webhook.enabled ? t.test : t.enable}
      </button>
      <MoreMenu name={t.settings}>
        <MenuItem onClick={() => setOpen('edit')}>{texts.parts.edit}</MenuItem>
        {webhook.enabled && <MenuItem onClick={() => setOpen('resend')}>{t.resendAll}</MenuItem>}
        {webhook.enabled && <MenuItem onClick={() => void set(false)}>{t.disable}</MenuItem>}
        <MenuItem onClick={() => setOpen('rotate')}>{t.rotate}</MenuItem>
        <MenuItem danger onClick={() => setOpen('remove')}>
          {t.delete}
        </MenuItem>
      </MoreMenu>
      {open === 'edit' && <Edit webhook={webhook} reload={reload} onClose={close} />}
      {open === 'rotate' && <Rotate webhook={webhook} onClose={close} />}
      {open === 'remove' && <Remove webhook={webhook} onClose={close} />}
      {open === 'missed' && <Resend webhook={webhook} since={disabledAt} onClose={close} />}
      {open === 'resend' && <Resend webhook={webhook} onClose={close} />}
    </>
  )
}

function Edit({ webhook, reload, onClose }: Props & { onClose: () => void }) {
  const toast = useToast()
  const [opened] = useState(webhook)
  const save = useChange(
    (api, data: FormData) =>
      api.patch('/admin/systems/{systemId}/webhooks/{webhookId}', {
        path: { systemId: webhook.systemId, webhookId: webhook.id },
        body: bodyOf(data),
        headers: { 'If-Match': versionOf(opened) ?? '*' },
      }),
    {
      onSuccess: () => {
        toast(texts.parts.saved)
        reload()
        onClose()
      },
    },
  )
  return (
    <Dialog title={texts.webhooks.edit} onClose={onClose}>
      <Form state={save} submit={texts.parts.save} onCancel={onClose} onSubmit={save.mutate}>
        <WebhookFields webhook={opened} />
      </Form>
    </Dialog>
  )
}

type OpenProps = { webhook: Webhook; onClose: () => void }

function Rotate({ webhook, onClose }: OpenProps) {
  const t = texts.webhooks
  const rotate = useChange((api, graceSeconds: number) =>
    api.post('/admin/systems/{systemId}/webhooks/{webhookId}/rotate-secret', {
      path: { systemId: webhook.systemId, webhookId: webhook.id },
      body: { graceSeconds },
    }),
  )
  return (
    <RotateSecret
      title={t.rotate}
      lead={t.rotateLead}
      state={rotate}
      onRotate={async (graceSeconds) => (await rotate.mutateAsync(graceSeconds)).secret}
      onClose={onClose}
    />
  )
}

function Remove({ webhook, onClose }: OpenProps) {
  const { key } = usePlace()
  const navigate = useNavigate()
  const toast = useToast()
  const t = texts.webhooks
  const path = { systemId: webhook.systemId, webhookId: webhook.id }
  const remove = useChange((api) => api.delete('/admin/systems/{systemId}/webhooks/{webhookId}', { path }), {
    onSuccess: () => {
      toast(t.deleted)
      void navigate({ to: '/$context/webhooks', params: { context: key } })
    },
  })
  return (
    <Confirm
      title={`${t.delete}?`}
      submit={texts.parts.delete}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
      state={remove}
    >
      <p>{t.deleteLead}</p>
    </Confirm>
  )
}
