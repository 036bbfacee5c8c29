/** The sign-in by a connection with SAML: through our pages, with a provider that signs real responses. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { newPlace, noteTested, noteVerified } from './connections.ts'
import { newName } from './domains.ts'
import { expectStatus } from './http.ts'
import { newSamlKey, type SamlKey } from './saml-keys.ts'
import { type SamlShape, samlField, samlResponse } from './saml-provider.ts'
import { GENERIC_SHAPE } from './saml-shapes.ts'
import { linkTo, open } from './sso-sign-in.ts'
import { type Answer, startTestApp, type TestBrowser } from './testing.ts'

const key = newSamlKey()
const SSO_URL = 'https://idp.example.com/sso?idpid=C01'

/** What a request of ours says, and the value that comes back with the response. */
export type Asked = { id: string; xml: string; relayState: string; acsUrl: string }

/** The request in the address to which a browser was sent. */
export function askedIn(answer: Answer): Asked {
  assert.equal(answer.status, 303, String(answer.body))
  const url = new URL(answer.headers.get('location') ?? '')
  assert.equal(url.origin, 'https://idp.example.com')
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? ''
  const relayState = url.searchParams.get('RelayState') ?? ''
  return { id: attribute('ID'), xml, relayState, acsUrl: attribute('AssertionConsumerServiceURL') }
}

/** An organization with a verified domain, and a connection with SAML that is enabled. */
export async function startSaml(
  t: TestContext,
  { isDraft = false, ...fields }: Record<string, unknown> = {},
  settings: Record<string, string> = {},
) {
  const app = await startTestApp(t, settings)
  const place = await newPlace(app, { skipConsent: true })
  const domain = newName()
  await noteVerified(app, place.accountId, `x@${domain}`)
  const issuer = `https://idp.example.com/${newName()}`
  const connect = async (more: object = {}) => {
    const created = await place.add(place.admin, { kind: 'saml' })
    const settings = { issuer, ssoUrl: SSO_URL, certificates: [key.pem], closedIssuer: true, jit: true }
    expectStatus(await place.admin.patch(created.path, { ...settings, ...more }), 200)
    if (!isDraft) {
      await noteTested(app, created.id)
      expectStatus(await place.admin.patch(created.path, { enabled: true }), 200)
    }
    const own = created as typeof created & { acsUrl: string; entityId: string }
    return { id: own.id, path: own.path, acsUrl: String(own.acsUrl), entityId: String(own.entityId) }
  }
  const connection = await connect(fields)
  /** A response to a request, about a person of the domain. */
  const respond = (asked: Pick<Asked, 'id'>, more: Partial<SamlShape> & { by?: SamlKey } = {}) => {
    const { by = key, ...shape } = more
    const { acsUrl, entityId } = connection
    const email = `ada@${domain}`
    const base = { ...GENERIC_SHAPE, issuer, acsUrl, entityId, requestId: asked.id, now: new Date() }
    const person = { nameId: { value: email }, attributes: { email: [email] } }
    return samlResponse({ ...base, ...person, ...shape }, by)
  }
  /** As the page of the provider posts it: without a cookie. */
  const post = (
    fields: { document?: string; relayState?: string },
    { at = `${app.url}/sso/${connection.id}/acs` } = {},
  ): Promise<Response> =>
    fetch(at, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        ...(fields.document !== undefined && { SAMLResponse: samlField(fields.document) }),
        ...(fields.relayState !== undefined && { RelayState: fields.relayState }),
      }),
    })
  const begin = async (browser: TestBrowser, more: Record<string, string | undefined> = {}) => {
    const { page, pkce } = await open({ app, ...place }, browser, more)
    return { pkce, page, asked: askedIn(await browser.get(linkTo(page, connection.id))) }
  }
  /** The whole sign-in. */
  const signIn = async (
    browser: TestBrowser,
    shape: Parameters<typeof respond>[1] = {},
    more: Record<string, string | undefined> = {},
  ) => {
    const { pkce, asked } = await begin(browser, more)
    const posted = await post({ document: respond(asked, shape), relayState: asked.relayState })
    const end = await browser.follow(await browser.get(locationOf(posted)))
    return { pkce, asked, posted, end, back: backIn(end) }
  }
  const attempts = async () =>
    (await place.admin.get(`${connection.path}/attempts`)).body.map(
      ({ outcome, code }: { outcome: string; code: string | null }) => [outcome, code],
    )
  return { app, ...place, domain, key, connection, connect, respond, post, begin, signIn, attempts }
}

export type SamlPlace = Awaited<ReturnType<typeof startSaml>>

export const locationOf = ({ headers }: { headers: Headers }): string => headers.get('location') ?? ''

const backIn = (end: Answer): Record<string, string> => {
  const location = end.headers.get('location')
  return location ? Object.fromEntries(new URL(location).searchParams) : {}
}
