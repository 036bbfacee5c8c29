/** The color and the logo of an organization, which its active members see. */
import type { FastifyReply } from 'fastify'
import type { AccountBranding } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { fits } from '../../http/schema-compilers.ts'
import { changeAccount, storeLogo } from '../../lifecycle/change-account.ts'
import { keepLogo } from '../../resources/accounts/branding.ts'
import { lockAccount } from '../../resources/accounts/queries.ts'
import { rebuiltPng } from '../../resources/images/png.ts'
import { Color } from '../../resources/systems/schemas.ts'
import { textsOf } from '../../texts/texts.ts'
import { SETTINGS_PATH, show } from './settings.ts'
import { type OrganizationVisit, organizationForm, pathOf, refusalOfChange, sentenceOf } from './visit.ts'

/** 32 kB, as in the admin API (resources/branding). */
const LOGO_BYTES_MAX = 32_768
/** 64 kB: the form has the image in base64. */
const BODY_LIMIT = 65_536

type Sent = Partial<Record<'hasColor' | 'color' | 'colorBefore' | 'logo' | 'removeLogo', string>>

const submit = organizationForm(`${SETTINGS_PATH}/brand`, 'admin', 'ordinary', async (visit) => {
  const { parts, organization, request, reply } = visit
  const sent = (request.body ?? {}) as Sent
  const color = sent.hasColor === 'yes' ? String(sent.color) : ''
  if (color !== '' && !fits(Color, color)) return refuse(visit, 'colorWrong')
  const png = await pngIn(sent.logo)
  if (png === 'wrong') return refuse(visit, 'logoWrong')
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    const before = await lockAccount(tx, reachOf(caller), organization.id)
    const branding: AccountBranding = { ...before.branding }
    if (color !== sent.colorBefore) setColor(branding, color)
    if (sent.removeLogo === 'yes') delete branding.logoUrl
    if (png) return storeLogo(tx, parts.config, caller, before, png, branding)
    await keepLogo(tx, before, branding)
    return changeAccount(tx, caller, before, { branding })
  })
  if (refusal) return show(visit, { status: refusal.status, errors: { form: sentenceOf(visit, refusal) } })
  return reply.redirect(`${pathOf(visit, SETTINGS_PATH)}?done=saved`, 303)
})

export const submitBrand = { ...submit, bodyLimit: BODY_LIMIT }

const refuse = (
  visit: OrganizationVisit,
  key: 'colorWrong' | 'logoWrong',
): FastifyReply | Promise<FastifyReply> =>
  show(visit, {
    status: 400,
    errors: { [key === 'colorWrong' ? 'color' : 'logo']: textsOf(visit.locale, 'organization')[key] },
  })

function setColor(branding: AccountBranding, color: string): void {
  if (color === '') delete branding.color
  else branding.color = color
}

/** The image of the form, which sends it in base64; undefined if none was chosen. */
async function pngIn(logo: string | undefined): Promise<Buffer | 'wrong' | undefined> {
  if (!logo) return undefined
  const bytes = Buffer.from(logo, 'base64')
  if (bytes.length > LOGO_BYTES_MAX) return 'wrong'
  try {
    return await rebuiltPng(bytes)
  } catch (error) {
    if (error instanceof Failure) return 'wrong'
    throw error
  }
}
