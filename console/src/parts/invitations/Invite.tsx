import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { useChange } from '../../api/queries.ts'
import { count, fill, formatDays, textNamed, texts } from '../../texts/texts.ts'
import { addressesOf } from '../addresses.ts'
import { Dialog } from '../Dialog.tsx'
import { FormProblem } from '../Failed.tsx'
import { Form, SelectField, TextField, textOf } from '../Form.tsx'
import { RoleChecks } from '../members/MemberForm.tsx'
import { useToast } from '../Toasts.tsx'
import { InvitationLinks } from './InvitationLinks.tsx'
import { useWay, type Way } from './useWay.tsx'

type Props = { accountId: string; systemId: string; onClose: () => void }

const PATH = '/admin/accounts/{accountId}/invitations'
/** Addresses in one request. */
const BATCH = 100
/** Lifetimes that can be chosen besides that of the server, in days. */
const LIFETIMES = [1, 3, 7, 14, 30]

/** Which limit is reached, and how long it takes, is in the detail. */
const reasonOf = (code: string, detail: string | undefined): string =>
  code === 'invalid_request'
    ? texts.invitations.invalid
    : ((code === 'too_many_requests' ? detail : undefined) ??
      textNamed(texts.problems, code) ??
      detail ??
      code)

type Invitation = { email: string; roles: string[]; message?: string; expiresIn?: number; notify: boolean }
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

/** What the form asks for, for each address. */
function invitationsOf(data: FormData, way: Way): Invitation[] {
  const message = textOf(data, 'message')
  const days = Number.parseInt(String(data.get('lifetime')), 10)
  const each = {
    roles: data.getAll('roles').map(String),
    notify: way === 'email',
    ...(message !== undefined && { message }),
    ...(days > 0 && { expiresIn: days * 86_400 }),
  }
  return addressesOf(textOf(data, 'emails') ?? '').map((email) => ({ email, ...each }))
}

const linksOf = (results: Results) =>
  results.flatMap(({ email, invitation }) => (invitation?.url ? [{ email, url: invitation.url }] : []))

/** The lifetimes by days; without a choice, the server's own setting applies. */
const lifetimes = (): Record<string, string> => ({
  '': texts.invitations.lifetimeOfServer,
  ...Object.fromEntries(LIFETIMES.map((days) => [`${days}d`, formatDays(days)])),
})

/** Invites one address or several. Those that were refused are listed with the reason. */
export function Invite({ accountId, systemId, onClose }: Props) {
  const t = texts.invitations
  const toast = useToast()
  const { way, choice } = useWay()
  const [left, setLeft] = useState('')
  const [links, setLinks] = useState<{ email: string; url: string }[]>([])
  const invite = useChange((api, data: FormData) => sendAll(api, accountId, invitationsOf(data, way)), {
    onSuccess: ({ results, unsent }) => {
      const done = results.filter(({ invitation }) => invitation).length
      const made = linksOf(results)
      if (done > made.length) toast(count(t.sent, done - made.length))
      const refused = results.flatMap(({ email, code }) => (code === undefined ? [] : [email]))
      const left = [...refused, ...unsent]
      setLeft(left.join(' '))
      setLinks(made)
      if (left.length === 0 && made.length === 0) onClose()
    },
  })
  if (links.length > 0)
    return (
      <Dialog title={t.links} onClose={onClose}>
        <Refused results={invite.data?.results ?? []} />
        <InvitationLinks links={links} onDone={() => (left === '' ? onClose() : setLinks([]))} />
      </Dialog>
    )
  return (
    <Dialog title={t.invite} onClose={onClose}>
      <p className="muted">{t.inviteLead}</p>
      <Refused results={invite.data?.results ?? []} />
      <FormProblem error={invite.data?.fault} />
      <Form
        state={invite}
        submit={way === 'link' ? t.createLinks : t.send}
        onCancel={onClose}
        onSubmit={invite.mutate}
      >
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
        {choice}
        <RoleChecks systemId={systemId} />
        <SelectField name="lifetime" label={t.lifetime} options={lifetimes()} />
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

function Refused({ results }: { results: Results }) {
  const t = texts.invitations
  const refused = results.filter(({ code }) => code !== undefined)
  if (refused.length === 0) return null
  return (
    <div className="notice" role="alert">
      <p>{count(t.refused, refused.length)}</p>
      <ul>
        {refused.map(({ email, code = '', detail }) => (
          <li key={email}>{fill(t.refusedOne, { email, reason: reasonOf(code, detail) })}</li>
        ))}
      </ul>
    </div>
  )
}
