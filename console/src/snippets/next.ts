import { comment, type File, partitionNote, portOf, type SnippetInput, type SnippetText } from './snippet.ts'

const auth = (given: SnippetInput) => `import NextAuth from 'next-auth'

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
`

const ROUTE = `import { handlers } from '../../../../auth.js'

export const { GET, POST } = handlers
`

const LAYOUT = `export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`

const PAGE = `import { auth, signIn } from '../auth.js'

async function start() {
  'use server'
  await signIn('tenantry')
}

export default async function Page() {
  const session = await auth()
  if (session)
    return (
      <>
        <h1>You are signed in</h1>
        <pre>{JSON.stringify(session.user, null, 2)}</pre>
      </>
    )
  return (
    <form action={start}>
      <button type="submit">Sign in</button>
    </form>
  )
}
`

const files = (given: SnippetInput): File[] => [
  { name: 'auth.js', code: auth(given) },
  { name: 'app/api/auth/[...nextauth]/route.js', code: ROUTE },
  { name: 'app/layout.js', code: LAYOUT },
  { name: 'app/page.js', code: PAGE },
]

/** Auth.js, as in quickstarts/nextjs. */
export const next: SnippetText = {
  title: 'Next.js, Auth.js',
  origin: 'http://localhost:3000',
  callback: '/api/auth/callback/tenantry',
  install: () => 'npm install next@16 react react-dom next-auth@5.0.0-beta.32',
  files,
  start: (given) => `SESSION_SECRET=$(openssl rand -hex 32) npx next dev --port ${portOf(given)}`,
  kinds: ['web'],
}
