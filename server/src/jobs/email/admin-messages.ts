/** The emails to the admins of an organization about its single sign-on. */
import type { BrandedSystem } from '../../texts/brand.ts'
import { unlinked } from '../../texts/names.ts'
import { localeOfTag, timeInUtc } from '../../texts/texts.ts'
import { compose, NEWS_EXPIRES_IN, notification, type Reader } from './compose.ts'
import type { EmailMessage } from './email.ts'

/** `href`: of the page with the domains of the organization. */
export const domainLapsed = (
  reader: Reader,
  system: BrandedSystem,
  { domain, account, href }: { domain: string; account: string; href: string },
): EmailMessage => {
  const values = { domain: unlinked(domain), account: unlinked(account) }
  const about = { kind: 'domain_lapsed', subject: 'domainLapsed', system, values } as const
  return compose(reader, { ...about, expiresIn: NEWS_EXPIRES_IN }, [
    'domainLapsedLead',
    { href, label: 'domainLapsedAction' },
  ])
}

/** `connection`: its name; `href`: of the page with the connections of the organization. */
type OfConnection = { connection: string; account: string; href: string }

/** The provider has other keys, or another address for sign-ins. */
export const metadataChanged = (
  reader: Reader,
  system: BrandedSystem,
  { connection, account, href }: OfConnection,
): EmailMessage => {
  const values = { connection: unlinked(connection), account: unlinked(account) }
  const about = { kind: 'connection_certificates', subject: 'metadataChanged', system, values } as const
  return compose(reader, { ...about, expiresIn: NEWS_EXPIRES_IN }, [
    'metadataChangedLead',
    'metadataChangedAdvice',
    { href, label: 'connectionsAction' },
  ])
}

/** `endsAt`: of the last certificate of the provider. */
export const certificatesEnd = (
  reader: Reader,
  system: BrandedSystem,
  { connection, account, endsAt, href }: OfConnection & { endsAt: Date },
): EmailMessage => {
  const expiry = timeInUtc(endsAt, localeOfTag(reader.locale))
  const values = { connection: unlinked(connection), account: unlinked(account), expiry }
  const about = { kind: 'connection_certificates', subject: 'certificatesEnd', system, values } as const
  return compose(reader, { ...about, expiresIn: NEWS_EXPIRES_IN }, [
    'certificatesEndLead',
    'certificatesEndAdvice',
    { href, label: 'connectionsAction' },
  ])
}

/** `member`: the address of who is exempt now; `href`: of the page of the members. */
export const memberExempted = (
  reader: Reader,
  system: BrandedSystem,
  { member, account, href }: { member: string; account: string; href: string },
): EmailMessage => {
  const values = { member: unlinked(member), account: unlinked(account) }
  const about = { kind: 'member_exempt', subject: 'memberExempt', system, values } as const
  return compose(reader, { ...about, expiresIn: NEWS_EXPIRES_IN }, [
    'memberExemptLead',
    { href, label: 'waitingShow' },
    'notExpected',
  ])
}

/** `member`: the address of the exempt admin who has signed in. */
export const signedInExempt = (
  reader: Reader,
  system: BrandedSystem,
  { member, account, ip }: { member: string; account: string; ip: string | null },
): EmailMessage =>
  notification(reader, {
    kind: 'exempt_sign_in',
    subject: 'exemptSignIn',
    lead: 'exemptSignInLead',
    system,
    values: { member: unlinked(member), account: unlinked(account) },
    ...(ip !== null && { ip }),
    advice: 'exemptSignInAdvice',
  })
