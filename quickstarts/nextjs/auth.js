// Auth.js signs users in. Its session cookie has no tokens: they are in the memory of this process.
import NextAuth from 'next-auth'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET } = process.env

// The tokens by sid: each sign-in has its own. A user (sub) can have several accounts, and be signed in to
// one of them (membership_id) on several devices. `globalThis` is shared by the pages and routes that Next.js
// bundles separately.
globalThis.tenantryTokens ??= new Map()
const tokens = globalThis.tenantryTokens

export const { handlers, auth, signIn, signOut } = NextAuth({
  secret: SESSION_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'tenantry',
      name: 'Tenantry',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid email profile offline_access' } },
      checks: ['pkce', 'state'],
      profile: ({ membership_id, email, name }) => ({ id: membership_id, email, name }),
    },
  ],
  callbacks: {
    jwt({ token, account, profile }) {
      if (!account) return token
      const { sid, account_id: accountId, membership_id: membershipId } = profile
      tokens.set(sid, account)
      return { ...token, sid, accountId, membershipId }
    },
    session({ session, token }) {
      const { email, sid, accountId, membershipId } = token
      session.user = { email, sid, accountId, membershipId }
      return session
    },
  },
})

/** The access token of a session; requests a new one if it has expired. */
export async function accessToken(sid) {
  const current = tokens.get(sid)
  if (!current || current.expires_at * 1000 > Date.now()) return current?.access_token
  const answer = await fetch(`${ISSUER}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: current.refresh_token }),
  })
  if (!answer.ok) return undefined // the session has ended: sign in again
  const renewed = await answer.json()
  const expires_at = Math.floor(Date.now() / 1000) + renewed.expires_in
  tokens.set(sid, { ...current, ...renewed, expires_at })
  return renewed.access_token
}

/** Forgets the tokens. Returns where the browser signs out of Tenantry. */
export function endSession(sid, home) {
  const id_token_hint = tokens.get(sid)?.id_token
  tokens.delete(sid)
  const query = {
    client_id: CLIENT_ID,
    post_logout_redirect_uri: home,
    ...(id_token_hint && { id_token_hint }),
  }
  return `${ISSUER}/session/end?${new URLSearchParams(query)}`
}
