import { comment, type Given, originOf, partitionNote, type Snippet } from './snippet.ts'

const PATH = '/api/auth/callback/tenantry'

/** Auth.js has a redirect URI of its own. */
const redirectUri = ({ redirectUri: given }: Given): string[] =>
  given === originOf(given) + PATH
    ? []
    : ['', `Redirect URI: ${originOf(given)}${PATH}`, 'Add it on the tab Sign-in.']

/** Auth.js, as in quickstarts/nextjs. */
export const next: Snippet = {
  title: 'Next.js, Auth.js',
  install: () => 'npm install next-auth@beta',
  code: (given) => `${comment('//', ['auth.js', ...redirectUri(given)])}
import NextAuth from 'next-auth'

export const { handlers, auth, signIn, signOut } = NextAuth({
  secret: process.env.SESSION_SECRET, // 32 random bytes or more
  trustHost: true,
  providers: [
    {
      id: 'tenantry',
      name: 'Tenantry',
      type: 'oidc',
      issuer: '${given.issuer}',
      clientId: '${given.clientId}',
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: '${given.scopes.join(' ')}' } },
      checks: ['pkce', 'state'],
      profile: ({ membership_id, email, name }) => ({ id: membership_id, email, name }),
    },
  ],
  callbacks: {
    jwt({ token, profile }) {
      if (!profile) return token
${comment('//', partitionNote(given), '      ')}
      return { ...token, accountId: profile.account_id, membershipId: profile.membership_id }
    },
    session({ session, token }) {
      const { email, accountId, membershipId } = token
      session.user = { email, accountId, membershipId }
      return session
    },
  },
})

// app/api/auth/[...nextauth]/route.js
import { handlers } from '../../../../auth.js'

export const { GET, POST } = handlers

// app/page.js
import { auth, signIn } from '../auth.js'

async function start() {
  'use server'
  await signIn('tenantry')
}

export default async function Page() {
  const session = await auth()
  if (session) return <p>Signed in as {session.user.email}</p>
  return (
    <form action={start}>
      <button type="submit">Sign in</button>
    </form>
  )
}
`,
  kinds: ['web'],
}
