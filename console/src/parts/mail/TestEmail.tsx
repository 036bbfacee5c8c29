import { useState } from 'react'
import { useMe } from '../../api/context.ts'
import { type Answer, useChange, useRead } from '../../api/queries.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { Form, TextField, textOf } from '../Form.tsx'
import { clock } from '../Time.tsx'

type Sent = { id: string; address: string; at: number }

/** Sends an email with a fixed text, and shows what the mail server answers. */
export function TestEmail({ onClose }: { onClose: () => void }) {
  const t = texts.installation
  const { user } = useMe()
  const [sent, setSent] = useState<Sent>()
  const { data: installation } = useRead('/admin/installation')
  const send = useChange(
    async (api, data: FormData) => {
      const address = textOf(data, 'email') ?? user.email
      const { id } = await api.post('/admin/mail/test', { body: { email: address } })
      return { id, address, at: Date.now() }
    },
    { onSuccess: setSent },
  )
  const isOutbox = installation?.mail.transport === 'outbox'
  return (
    <Dialog title={t.sendTest} onClose={onClose}>
      <Form
        state={send}
        submit={sent ? t.testAgain : t.sendTest}
        {...(!sent && { onCancel: onClose })}
        onSubmit={(data) => send.mutate(data)}
      >
        {isOutbox && <p className="notice">{t.testOutbox}</p>}
        <TextField
          name="email"
          label={t.testTo}
          type="email"
          value={user.email}
          hint={t.testHint}
          required
          autoFocus
        />
        {sent && <Outcome key={sent.id} sent={sent} isOutbox={isOutbox} />}
      </Form>
    </Dialog>
  )
}

/** 1 s and 15 s, in ms. */
const POLL = 1_000
const LATE = 15_000

/** Reads the email until the mail server has answered. */
function Outcome({ sent: { id, address, at }, isOutbox }: { sent: Sent; isOutbox: boolean }) {
  const t = texts.installation
  const [email, setEmail] = useState<Answer<'/admin/mail/{emailId}'>>()
  const isOver = email !== undefined && (email.status !== 'pending' || email.problem !== null)
  const { data, dataUpdatedAt } = useRead(
    '/admin/mail/{emailId}',
    { path: { emailId: id } },
    isOver ? {} : { refetchInterval: POLL },
  )
  if (data && data !== email) setEmail(data)
  if (!email || !isOver)
    return <p role="status">{dataUpdatedAt - at > LATE ? t.testNoWorker : t.testWaits}</p>
  if (email.status === 'sent')
    return <p role="status">{fill(isOutbox ? t.testWritten : t.testSent, { address })}</p>
  return (
    <div className="problem" role="alert">
      <p>{email.problem ? t.mailProblems[email.problem] : t.testFailed}</p>
      <p>
        {t.serverSaid}: <code>{email.lastError}</code>
      </p>
      {email.status === 'pending' && <p>{fill(t.retried, { time: clock(email.expiresAt) })}</p>}
    </div>
  )
}
