/**
 * The texts that an application has of its own in its emails, by kind and language. Mounted at
 * /admin/systems/:systemId/email-texts, behind the admin guard. Which authority writes which kind:
 * jobs/email/kinds.ts.
 */
import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { installationName } from '../../config/installation-name.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures } from '../../errors.ts'
import { authorityOf, type Caller, EVERYTHING, ranksAbove, reachOf } from '../../http/authority.ts'
import { limitOf, TEST_EMAILS } from '../../http/limits/guard.ts'
import { reserve, secondsToWait } from '../../http/limits/queries.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Nullable, oneOf, pathId } from '../../http/schemas.ts'
import { reserveEmail } from '../../jobs/email/budget.ts'
import { contentOf, drawEmail } from '../../jobs/email/compose.ts'
import type { EmailMessage } from '../../jobs/email/email.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { kindOf, OWN_KINDS, type OwnKind } from '../../jobs/email/kinds.ts'
import {
  faultsOfTexts,
  LINE_MAX,
  type OwnTexts,
  PARAGRAPH_MAX,
  PARAGRAPHS_MAX,
} from '../../jobs/email/own-texts.ts'
import { sampleOf } from '../../jobs/email/samples.ts'
import {
  deleteTexts,
  findTexts,
  listTexts,
  putTexts,
  type StoredTexts,
  type TextPlace,
} from '../../jobs/email/texts-queries.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { LANGUAGE_TAGS, type Locale } from '../../texts/texts.ts'
import { findSystem, lockContents, type System } from '../systems/queries.ts'
import { findUser } from '../users/queries.ts'
import { DOCS } from './docs.ts'

type Parts = { db: Db; seal: Seal; config: Config }

const LOCALES = Object.keys(LANGUAGE_TAGS) as Locale[]

const Kind = oneOf(OWN_KINDS, { title: 'EmailKind', description: 'A kind of emails.' })
const Language = oneOf(LOCALES, { title: 'EmailLanguage', description: 'A language of emails.' })
const SystemPath = Type.Object({ systemId: pathId('system') })
const TextPath = Type.Object({
  systemId: pathId('system'),
  kind: oneOf(OWN_KINDS, {
    title: 'EmailKindPath',
    description: 'The kind of the email.',
    examples: ['access_approved'],
  }),
  locale: oneOf(LOCALES, {
    title: 'EmailLanguagePath',
    description: 'The language of the email.',
    examples: ['en'],
  }),
})

const line = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: LINE_MAX }), {
    description: `${description} At most ${LINE_MAX} characters; null: that of the server.`,
  })
const Texts = {
  subject: line('The subject.'),
  heading: line('The heading.'),
  paragraphs: Nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: PARAGRAPH_MAX }), {
      minItems: 1,
      maxItems: PARAGRAPHS_MAX,
    }),
    {
      description:
        'What is above the code, the button or the details; null: that of the server. Plain text, each on one line.',
    },
  ),
  button: line('The text of the button. Null for a kind without one.'),
  footer: Nullable(Type.String({ minLength: 1, maxLength: PARAGRAPH_MAX }), {
    description: 'What is below them; null: that of the server. Plain text, on one line.',
  }),
}
const SentTexts = Type.Object(
  {
    subject: Type.Optional(Texts.subject),
    heading: Type.Optional(Texts.heading),
    paragraphs: Type.Optional(Texts.paragraphs),
    button: Type.Optional(Texts.button),
    footer: Type.Optional(Texts.footer),
  },
  { title: 'EmailTexts' },
)

const Authority = oneOf(['platform', 'system'], {
  description: 'The lowest authority that writes the texts.',
})
const KindBody = Type.Object(
  {
    kind: Kind,
    authority: Authority,
    names: Type.Array(Type.String(), { description: 'The values that a text can have: `{{email}}`.' }),
    button: Type.Boolean({ description: 'Whether the email has a button.' }),
    locales: Type.Array(Language, { description: 'The languages in which the system has texts of its own.' }),
  },
  { title: 'EmailTextKind' },
)

const Detail = Type.Object({ label: Type.String(), value: Type.String() }, { title: 'EmailDetail' })
const Block = Type.Object(
  {
    text: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    button: Type.Optional(Type.String()),
    link: Type.Optional(Type.String()),
    details: Type.Optional(Type.Array(Detail)),
  },
  { title: 'EmailBlock', description: 'A part of an email: one of these.' },
)

/** What an email shows, in its order; `text` is the whole of it for email programs without HTML. */
const Shown = Type.Object(
  {
    subject: Type.String(),
    heading: Type.String(),
    blocks: Type.Array(Block),
    text: Type.String(),
  },
  {
    title: 'EmailPreview',
    description: 'The email with values of a sample; `standard` has the texts of the server.',
  },
)
const TextBody = Type.Object(
  {
    kind: Kind,
    locale: Language,
    setBy: Nullable(oneOf(['platform', 'system'], { title: 'EmailTextAuthority' }), {
      description: 'The authority that has written the texts: a lower one cannot change them. Null: ours.',
    }),
    ...Texts,
    preview: Shown,
    standard: Shown,
  },
  { title: 'EmailText' },
)

const NONE: OwnTexts = { subject: null, heading: null, paragraphs: null, button: null, footer: null }
const textsOf = ({ subject, heading, paragraphs, button, footer }: OwnTexts): OwnTexts => ({
  subject,
  heading,
  paragraphs,
  button,
  footer,
})

/** Throws `invalid_request` for texts that their kind cannot have. */
function checked(kind: OwnKind, given: Static<typeof SentTexts>): OwnTexts {
  const texts = { ...NONE, ...given }
  const errors = faultsOfTexts(kind, texts)
  if (Object.values(texts).every((text) => text === null))
    errors.push({ path: '', message: 'has no text: DELETE resets to those of the server' })
  if (errors.length > 0) throw new Failure('invalid_request', { errors: errors.slice(0, 10) })
  return texts
}

/** Throws `insufficient_authority` if the texts are those of a higher one. */
function demandRank(caller: Caller, kind: OwnKind, before: StoredTexts | undefined): 'platform' | 'system' {
  const authority = authorityOf(caller) === 'platform' ? 'platform' : 'system'
  if (authority === 'platform') return authority
  if (kindOf(kind).by === 'platform')
    throw new Failure('insufficient_authority', {
      detail: `The texts of ${kind} require platform authority: such emails count beyond the system.`,
    })
  if (before && ranksAbove('system').includes(before.setBy))
    throw new Failure('insufficient_authority', {
      detail: 'The platform has written these texts. Only the platform can change them.',
    })
  return authority
}

/** An address that no one has (RFC 2606). */
const SAMPLE_EMAIL = 'alice@northsea.example'

const sampleFor = (
  { config }: Pick<Parts, 'config'>,
  system: System,
  { kind, locale }: Pick<TextPlace, 'kind' | 'locale'>,
  email = SAMPLE_EMAIL,
): EmailMessage =>
  sampleOf(kind, { reader: { id: '', email, locale }, system, href: `${config.BASE_URL}/account` })

function previewOf(
  { config }: Pick<Parts, 'config'>,
  { draft }: EmailMessage,
  own?: OwnTexts,
): Static<typeof Shown> {
  const content = contentOf(draft, own)
  const { subject, title, blocks } = content
  return {
    subject,
    heading: title,
    blocks: blocks.map((block) => {
      if (!('label' in block)) return block
      return 'page' in block && !block.isMain ? { link: block.label } : { button: block.label }
    }),
    text: drawEmail(content, { name: installationName(config), baseUrl: config.BASE_URL }).text,
  }
}

function answerOf(parts: Parts, system: System, place: TextPlace, stored: StoredTexts | undefined) {
  const sample = sampleFor(parts, system, place)
  const texts = stored ? textsOf(stored) : NONE
  return {
    kind: place.kind,
    locale: place.locale,
    setBy: stored?.setBy ?? null,
    ...texts,
    preview: previewOf(parts, sample, texts),
    standard: previewOf(parts, sample),
  }
}

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listEmailTexts },
    schema: {
      params: SystemPath,
      response: { 200: Type.Array(KindBody), ...failures('system_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      const own = await listTexts(db, id)
      return OWN_KINDS.map((kind) => {
        const { by, names, button } = kindOf(kind)
        const locales = own.filter((each) => each.kind === kind).map(({ locale }) => locale)
        return { kind, authority: by, names: [...names], button, locales }
      })
    },
  })

const get = (parts: Parts) =>
  operation({
    method: 'GET',
    url: '/:kind/:locale',
    config: { authority: ['platform', 'system'], docs: DOCS.getEmailText },
    schema: { params: TextPath, response: { 200: TextBody, ...failures('system_not_found') } },
    handler: async ({ caller, params }) => {
      const system = await findSystem(parts.db, reachOf(caller), params.systemId)
      return answerOf(parts, system, params, await findTexts(parts.db, params))
    },
  })

const RANKS = {
  system: 'the kinds that go to its active members, unless the platform has written them',
}

const put = (parts: Parts) =>
  operation({
    method: 'PUT',
    url: '/:kind/:locale',
    config: { authority: ['platform', 'system'], reach: RANKS, docs: DOCS.putEmailText },
    schema: {
      params: TextPath,
      body: SentTexts,
      response: {
        200: TextBody,
        ...failures('invalid_request', 'insufficient_authority', 'system_not_found'),
      },
    },
    handler: async ({ caller, params, body }) => {
      const texts = checked(params.kind, body)
      const { system, stored } = await inTransaction(parts.db, async (tx) => {
        const system = await lockContents(tx, reachOf(caller), params.systemId)
        const before = await findTexts(tx, params)
        const setBy = demandRank(caller, params.kind, before)
        const changes = difference(
          before ? { ...textsOf(before), setBy: before.setBy } : { ...NONE, setBy: null },
          {
            ...texts,
            setBy,
          },
        )
        if (before && Object.keys(changes).length === 0) return { system, stored: before }
        const stored = await putTexts(tx, params, { ...texts, setBy })
        await recordChange(tx, caller, 'system.email_text_updated', params, changes)
        return { system, stored }
      })
      return answerOf(parts, system, params, stored)
    },
  })

const reset = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:kind/:locale',
    config: { authority: ['platform', 'system'], reach: RANKS, docs: DOCS.deleteEmailText },
    schema: {
      params: TextPath,
      response: { 204: Type.Null(), ...failures('insufficient_authority', 'system_not_found') },
    },
    handler: async ({ caller, params }, reply) => {
      await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(caller), params.systemId)
        const before = await findTexts(tx, params)
        demandRank(caller, params.kind, before)
        if (!before) return
        await deleteTexts(tx, params)
        const changes = difference({ ...textsOf(before), setBy: before.setBy }, { ...NONE, setBy: null })
        await recordChange(tx, caller, 'system.email_text_reset', params, changes)
      })
      return reply.code(204).send(null)
    },
  })

const recordChange = (
  tx: Db,
  { actor }: Caller,
  action: string,
  { systemId, kind, locale }: TextPlace,
  changes: Record<string, [unknown, unknown]>,
): Promise<void> =>
  record(tx, actor, {
    action,
    target: { type: 'system', id: systemId },
    systemId,
    changes: { kind: [kind, kind], locale: [locale, locale], ...changes },
  })

const preview = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/:kind/:locale/preview',
    config: { authority: ['platform', 'system'], docs: DOCS.previewEmailText },
    schema: {
      params: TextPath,
      body: SentTexts,
      response: { 200: Shown, ...failures('invalid_request', 'system_not_found') },
    },
    handler: async ({ caller, params, body }) => {
      const system = await findSystem(parts.db, reachOf(caller), params.systemId)
      const texts = { ...NONE, ...body }
      const errors = faultsOfTexts(params.kind, texts)
      if (errors.length > 0) throw new Failure('invalid_request', { errors: errors.slice(0, 10) })
      return previewOf(parts, sampleFor(parts, system, params), texts)
    },
  })

/** As stored, to the address of the user who asks. */
const test = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/:kind/:locale/test',
    config: { authority: ['platform', 'system'], docs: DOCS.testEmailText },
    schema: {
      params: TextPath,
      response: {
        202: Type.Object({ email: Type.String() }, { title: 'TestedEmailText' }),
        ...failures('invalid_request', 'system_not_found', 'too_many_requests'),
      },
    },
    handler: async ({ caller, params }, reply) => {
      const { db, seal } = parts
      const { actor } = caller
      if (actor.type !== 'user' || actor.id === null)
        throw new Failure('invalid_request', { detail: 'A service has no address to which a test is sent.' })
      const userId = actor.id
      const email = await inTransaction(db, async (tx) => {
        const system = await findSystem(tx, reachOf(caller), params.systemId)
        const user = await findUser(tx, EVERYTHING, userId)
        const limit = limitOf(seal, 'test_emails', TEST_EMAILS, userId)
        if (!(await reserve(tx, limit)))
          throw new Failure('too_many_requests', { retryAfter: await secondsToWait(tx, [limit]) })
        const retryAfter = await reserveEmail(tx, seal, user.email, 'test')
        if (retryAfter > 0) throw new Failure('too_many_requests', { retryAfter })
        const message = sampleFor(parts, system, params, user.email)
        await enqueueEmail(tx, seal, { ...message, userId }, { systemId: system.id, isAwaited: true })
        await recordChange(tx, caller, 'system.email_text_tested', params, {})
        return user.email
      })
      return reply.code(202).send({ email })
    },
  })

export const emailTextsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, get, put, reset, preview, test])
