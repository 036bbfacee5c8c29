// Auth.js signs users in. Its session cookie has no tokens: they are in the memory of this process.
import NextAuth from 'next-auth'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET } = process.env

// By membership_id: one user (sub) can have several accounts, each with tokens of its own. `globalThis` is
// shared by the pages and routes that Next.js bundles separately.
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
      tokens.set(profile.membership_id, account)
      return { ...token, membershipId: profile.membership_id, accountId: profile.account_id }
    },
    session({ session, token }) {
      session.user = { email: token.email, membershipId: token.membershipId, accountId: token.accountId }
      return session
    },
  },
})

/** The access token of a membership; requests a new one if it has expired. */
export async function accessToken(membershipId) {
  const current = tokens.get(membershipId)
  if (!current || current.expires_at * 1000 > Date.now()) return current?.access_token
  const answer = await fetch(`${ISSUER}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: current.refresh_token }),
  })
  if (!answer.ok) return undefined // the membership has ended: sign in again
  const renewed = await answer.json()
  const expires_at = Math.floor(Date.now() / 1000) + renewed.expires_in
  tokens.set(membershipId, { ...current, ...renewed, expires_at })
  return renewed.access_token
}

/** Forgets the tokens. Returns where the browser signs out of Tenantry. */
export function endSession(membershipId, home) {
  const id_token_hint = tokens.get(membershipId)?.id_token
  tokens.delete(membershipId)
  const query = {
    client_id: CLIENT_ID,
    post_logout_redirect_uri: home,
    ...(id_token_hint && { id_token_hint }),
  }
  return `${ISSUER}/session/end?${new URLSearchParams(query)}`
}
