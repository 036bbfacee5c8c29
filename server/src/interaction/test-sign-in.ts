/** The user shares the result of a test with the administrators of the system. */
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { record } from '../journal/audit/record.ts'
import { signedInUser } from '../oidc/interaction.ts'
import { storeTestResult } from '../resources/test-sign-ins/queries.ts'
import { stepForm } from './step.ts'
import { isShareable, readTest } from './test-view.ts'

export const submitShare = stepForm('/share', 'test', async (step) => {
  const { parts, request, reply, interaction } = step
  const { user, actor } = await signedInUser(step)
  const view = await readTest(parts, interaction)
  const { id, systemId, result } = view
  if (isShareable(view))
    await inTransaction(parts.db, async (tx) => {
      if (!(await storeTestResult(tx, id, { userId: user.id, result }))) throw new Failure('link_expired')
      const accountId = (result.claims?.account_id as string | undefined) ?? null
      const target = { type: 'test_sign_in', id }
      await record(tx, actor, { action: 'test_sign_in.shared', target, systemId, accountId })
    })
  const location = `/interaction/${interaction.uid}`
  return wantsJson(request) ? reply.send({ location }) : reply.redirect(location, 303)
})
