/** The end of a test of a sign-in, as a page and as JSON. */
import type { TestResult } from '../database/schema.ts'
import { Failure } from '../errors.ts'
import type { Interaction, InteractionParts } from '../oidc/interaction.ts'
import { type TestDetails, testResultOf } from '../oidc/policy/test-sign-in.ts'
import { findOpenTest } from '../resources/test-sign-ins/queries.ts'
import type { Locale } from '../texts/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { testSignInPage } from '../ui/pages/test-sign-in.ts'
import { exitsOf } from './account-view.ts'

export type TestView = {
  id: string
  systemId: string
  result: TestResult
  accountName: string | undefined
  creator: string | null
  isShared: boolean
}

/** Throws `link_expired` if the test has expired, or if another user has shared its result. */
export async function readTest({ db }: InteractionParts, interaction: Interaction): Promise<TestView> {
  const { params, session, prompt } = interaction
  const userId = session?.accountId ?? ''
  const test = await findOpenTest(db, String(params.test))
  if (!test || (test.sharedAt !== null && test.userId !== userId)) throw new Failure('link_expired')
  const details = prompt.details as TestDetails
  const { accountName, ...result } = await testResultOf(db, details, userId)
  const { id, systemId, creator, sharedAt } = test
  return { id, systemId, result, accountName, creator, isShared: sharedAt !== null }
}

/** The result is of the user for whom the test is. */
export const isShareable = ({ result, isShared }: TestView): boolean =>
  !isShared && result.steps[0]?.step !== 'user'

type Page = { locale: Locale; system: SystemLook; csrf: string; email: string }

export const testPage = (view: TestView, interaction: Interaction, page: Page): string =>
  testSignInPage({
    ...page,
    ...view,
    action: `/interaction/${interaction.uid}/share`,
    another: exitsOf(interaction).another,
  })

export const testFields = ({ result, accountName, isShared }: TestView) => ({
  path: 'share',
  fields: [],
  more: { result, accountName, shared: isShared },
})
