import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { count, fill, texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { Form, TextField, textOf } from '../Form.tsx'
import { RoleChecks } from '../members/MemberForm.tsx'
import { useToast } from '../Toasts.tsx'

type Props = { accountId: string; systemId: string; onClose: () => void }

const PATH = '/admin/accounts/{accountId}/invitations'
/** Addresses in one request. */
const BATCH = 100

/** Addresses are separated by spaces, commas or lines, so that a list can be pasted. */
const addressesOf = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))]

/** Which limit is reached, and how long it takes, is in the detail. */
const reasonOf = (code: string, detail: string | undefined): string =>
  code === 'invalid_request'
    ? texts.invitations.invalid
    : ((code === 'too_many_requests' ? detail : undefined) ?? texts.problems[code] ?? detail ?? code)

/** Invites one address or several. Those that were refused are listed with the reason. */
export function Invite({ accountId, systemId, onClose }: Props) {
  const t = texts.invitations
  const toast = useToast()
  const [left, setLeft] = useState('')
  const invite = useChange(
    async (api, data: FormData) => {
      const roles = data.getAll('roles').map(String)
      const message = textOf(data, 'message')
      const invitations = addressesOf(textOf(data, 'emails') ?? '').map((email) => ({
        email,
        roles,
        ...(message !== undefined && { message }),
      }))
      const results = []
      for (let from = 0; from < invitations.length; from += BATCH) {
        const body = { invitations: invitations.slice(from, from + BATCH) }
        const path = { accountId }
        results.push(...(await api.post(`${PATH}/batch`, { path, body })).results)
      }
      return { results }
    },
    {
      onSuccess: ({ results }) => {
        const done = results.filter(({ invitation }) => invitation).length
        if (done > 0) toast(count(t.sent, done))
        setLeft(results.flatMap(({ email, code }) => (code === undefined ? [] : [email])).join(' '))
        if (done === results.length) onClose()
      },
    },
  )
  const refused = invite.data?.results.filter(({ code }) => code !== undefined) ?? []
  return (
    <Dialog title={t.invite} onClose={onClose}>
      <p className="muted">{t.inviteLead}</p>
      {refused.length > 0 && (
        <div className="notice" role="alert">
          <p>{count(t.refused, refused.length)}</p>
          <ul>
            {refused.map(({ email, code = '', detail }) => (
              <li key={email}>{fill(t.refusedOne, { email, reason: reasonOf(code, detail) })}</li>
            ))}
          </ul>
        </div>
      )}
      <Form state={invite} submit={t.send} onCancel={onClose} onSubmit={invite.mutate}>
        {/* Those that were invited are not sent again. */}
        <TextField
          key={left}
          name="emails"
          label={t.emails}
          hint={t.emailsHint}
          lines={3}
          value={left}
          required
        />
        <RoleChecks systemId={systemId} />
        <TextField
          name="message"
          label={t.message}
          hint={t.messageHint}
          lines={3}
          maxLength={500}
          isOptional
        />
      </Form>
    </Dialog>
  )
}
