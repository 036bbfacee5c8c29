import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { useChange } from '../../api/queries.ts'
import { count, fill, texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { FormProblem } from '../Failed.tsx'
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

type Invitation = { email: string; roles: string[]; message?: string }
type Results = Awaited<ReturnType<typeof sendBatch>>

const sendBatch = async (api: Admin, accountId: string, invitations: Invitation[]) =>
  (await api.post(`${PATH}/batch`, { path: { accountId }, body: { invitations } })).results

/** Sends what was entered in parts. If one fails, those before it were sent: `unsent` are the others. */
async function sendAll(api: Admin, accountId: string, invitations: Invitation[]) {
  const results: Results = []
  for (let from = 0; from < invitations.length; from += BATCH) {
    try {
      results.push(...(await sendBatch(api, accountId, invitations.slice(from, from + BATCH))))
    } catch (fault) {
      if (from === 0) throw fault
      return { results, unsent: invitations.slice(from).map(({ email }) => email), fault }
    }
  }
  return { results, unsent: [], fault: null }
}

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
      return sendAll(api, accountId, invitations)
    },
    {
      onSuccess: ({ results, unsent }) => {
        const done = results.filter(({ invitation }) => invitation).length
        if (done > 0) toast(count(t.sent, done))
        const refused = results.flatMap(({ email, code }) => (code === undefined ? [] : [email]))
        const left = [...refused, ...unsent]
        setLeft(left.join(' '))
        if (left.length === 0) onClose()
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
      <FormProblem error={invite.data?.fault} />
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
