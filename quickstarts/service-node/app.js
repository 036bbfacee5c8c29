// A program without users: gets a token of its own and lists the memberships of its system.
import * as oidc from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env
const isLocal = new URL(ISSUER).hostname === 'localhost'
const provider = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: isLocal ? [oidc.allowInsecureRequests] : [], // http in development only
})
const { access_token } = await oidc.clientCredentialsGrant(provider)

const answer = await fetch(`${ISSUER}/admin/memberships`, {
  headers: { authorization: `Bearer ${access_token}` },
})
if (!answer.ok) throw new Error(await answer.text())
// Partition your data by accountId, never by userId: a user can have several accounts.
for (const { accountId, id } of (await answer.json()).data) process.stdout.write(`${accountId} ${id}\n`)
