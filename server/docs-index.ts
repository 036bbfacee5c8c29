/**
 * The indexes docs/README.md and docs/decisions/README.md. The questions are written here, the titles are
 * the first headings of the pages. A page or decision that no question names is an error, so that readers
 * find it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A path from docs/, and the question that the page answers. */
type Entry = [path: string, question: string]

const PAGES: Record<string, Entry[]> = {
  'Get started': [
    ['tour.md', 'How do I get the token of a user? How do I add users?'],
    ['../quickstarts/README.md', 'What does an application with sign-in look like in my language?'],
    ['installation.md', 'How do I install it: npm, systemd, Docker, Kubernetes?'],
    ['before-production.md', 'What do I set before users of the Internet sign in?'],
    ['configuration.md', 'Which settings are there?'],
    ['moving-in.md', 'How do users move in from Auth0, Keycloak or another service, with their passwords?'],
  ],
  'Build an application': [
    ['tokens.md', 'Which claims does a token have? By which of them do I key data and sessions?'],
    ['../sdk/README.md', 'How does my backend verify tokens, call the admin API and have a members page?'],
    ['protocol.md', 'What do the OAuth endpoints accept beyond the standards? Why was a request refused?'],
    ['sign-in.md', 'How do I render the steps of a sign-in and of a registration on my own pages?'],
    ['branding.md', 'What do users see of my application, and how do they get back to it?'],
    ['emails.md', 'How does my application have texts of its own in its emails?'],
    ['social.md', 'How do users sign in with Google, Microsoft, GitHub, Apple or any OpenID provider?'],
    ['invitations.md', 'How do the admins of an organization invite others by email?'],
    ['organizations.md', 'Where do members see and leave their organization, and its admins manage it?'],
    ['domains.md', 'How does an organization show that it controls a domain of email addresses?'],
    ['single-sign-on.md', 'How do the members of an organization sign in at its identity provider?'],
    ['service-accounts.md', 'How do programs of my customers call my API?'],
    ['acting.md', 'How does my support act for a member of an organization?'],
    ['events.md', 'How does my application learn of changes, by page or as a stream?'],
    ['webhooks.md', 'How does my server receive events, and verify them?'],
  ],
  'Look up the API': [
    [
      'openapi.json',
      'Which operations and schemas does the API have? A server has them as a page at `/docs`',
    ],
    ['authority.md', 'Which authority does each endpoint require?'],
    ['errors.md', 'What does an error code mean?'],
    ['limits.md', 'How much can a system create and send? How many attempts does a sign-in have?'],
  ],
  Administer: [
    ['console.md', 'What can I do in the console, and who can open which part of it?'],
    ['refused.md', 'Why can a user not sign in?'],
    ['audit.md', 'How do I verify that the audit log is unchanged?'],
    ['retention.md', 'When is data deleted?'],
    ['screens', 'What does each page and each email look like?'],
  ],
  Operate: [
    ['operations.md', 'What do I do when something is wrong? What are the log, metrics, alerts and traces?'],
    ['backup.md', 'How do I back up, verify a backup, and restore it?'],
    ['upgrades.md', 'How do I replace a version without a stop?'],
    ['availability.md', 'What happens in a restart, and when PostgreSQL fails? How do I use a pooler?'],
    ['secrets.md', 'How do I replace `SECRET_KEY`, the signing keys and other secrets?'],
    ['jobs.md', 'Which changes continue in the background, and how do I see their progress?'],
    ['scaling.md', 'How much does one process serve? How does the database grow?'],
    ['performance.md', 'What does an operation cost?'],
  ],
  'Understand and change': [
    ['../ARCHITECTURE.md', 'Which parts are there? Where do I start to read?'],
    ['hot-path.md', 'What does one token request do, and why is it cheap?'],
    ['decisions/README.md', 'Why is it built this way?'],
    ['../SECURITY.md', 'What is the threat model? Which limitations are known?'],
    ['threats.md', 'Which threats are there, and which tests check the outcome of each?'],
    ['chaos.md', 'What do the tests do to servers and databases, and what did a long run find?'],
    ['../CONTRIBUTING.md', 'How do I change something?'],
    ['commands.md', 'How do I run the long tests, chaos and benchmarks?'],
    ['../bench/README.md', 'How is the cost of an operation measured?'],
    ['releasing.md', 'How is a version released?'],
  ],
}

/** Decisions by the question that they answer together: the first four digits of their file names. */
const DECISIONS: Record<string, string[]> = {
  'From what does it run, and with which libraries?': '0001 0034 0036 0016 0043 0090 0091 0092'.split(' '),
  'How is a request of the API handled?':
    '0013 0141 0144 0005 0019 0020 0021 0220 0210 0051 0081 0131 0170'.split(' '),
  'How is data stored and changed?': '0002 0003 0010 0012 0110 0111 0028 0351 0100 0120 0121'.split(' '),
  'How is the protocol library used?': '0004 0006 0007 0008 0009 0011 0055'.split(' '),
  'Why does a token request cost so little?': '0033 0035 0037 0038 0039'.split(' '),
  'How do users sign in, and what is valid where?':
    '0040 0050 0140 0142 0143 0150 0241 0340 0341 0342 0343 0350 0352 0353 0354 0356 0357 0017 0018 0022 0026 0027 0030'.split(
      ' ',
    ),
  'How do applications and programs authenticate and follow changes?': '0052 0053 0054 0061 0032'.split(' '),
  'How do emails, events and webhooks leave?': '0015 0024 0025 0023 0044'.split(' '),
  'What do users and administrators see?': (
    '0031 0059 0060 0058 0080 0130 0171 0172 0173 0240 0250 0251 0260 0261 ' + '0263 0280 0281 0282 0290 0320'
  ).split(' '),
  'How is it operated?': '0062 0070 0049 0211 0082 0083 0191 0262'.split(' '),
  'How is it tested?': ['0014'],
}

const WORDS = `The pages below use the words of the API. What users and administrators read has its own:

| API, tokens, database | Pages, emails, console | |
| --- | --- | --- |
| \`system\` | application | one of your products: an OAuth client with its own roles, \
organizations and members |
| \`account\` | organization | a tenant of a system. Without \`multiAccount\` \
each user has a personal account instead, which pages do not name |
| \`membership\` | member | one user in one account, with roles; \`pending\`, \`active\` or \`blocked\` |
| \`user\` | user; to the user: you, your profile | a person with an email address, \
in any number of systems and accounts |
| rotate | replace | a secret, a key or a token gets a successor |
| \`blocked\`, \`disabled\`, \`suspended\` | a member is blocked, a user is disabled, \
an organization is suspended | a blocked member has no access to that account; \
a disabled user cannot sign in at all; a suspended account gives access to no member |`

/** The text of each index by its name below `docs`. */
export function docsIndexes(docs: string): Record<string, string> {
  return { 'README.md': pagesIndex(docs), 'decisions/README.md': decisionsIndex(docs) }
}

function pagesIndex(docs: string): string {
  const named = Object.values(PAGES).flatMap((entries) => entries.map(([path]) => path))
  demandAll(markdownIn(docs), named, 'docs')
  const sections = Object.entries(PAGES).map(([heading, entries]) => {
    const rows = entries.map(([path, question]) => `| ${question} | [${titleOf(docs, path)}](${path}) |`)
    return `## ${heading}\n\n| Question | Page |\n| --- | --- |\n${rows.join('\n')}\n`
  })
  return `# Documentation

Generated by \`npm run docs\` from the questions in \`server/docs-index.ts\` and the headings of the pages. \
A server shows
these pages at \`/docs/guide\`, without the Internet.

## Words

${WORDS}

${sections.join('\n')}`
}

function decisionsIndex(docs: string): string {
  const folder = join(docs, 'decisions')
  const files = markdownIn(folder)
  const numbers = Object.values(DECISIONS).flat()
  demandAll(
    files,
    numbers.map((number) => fileOf(files, number)),
    'docs/decisions',
  )
  const sections = Object.entries(DECISIONS).map(([question, group]) => {
    const lines = group
      .toSorted()
      .map((number) => fileOf(files, number))
      .map((file) => `- [${titleOf(folder, file)}](${file})`)
    return `## ${question}\n\n${lines.join('\n')}\n`
  })
  return `# Decisions

Each page is one decision with its reasons, what it costs, what was tried instead, and when to revisit it. \
Write one for a
choice that a later reader will question: the next free number, the form of the others, and a place in
\`server/docs-index.ts\`, from which \`npm run docs\` generates this page.

${sections.join('\n')}`
}

const markdownIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()

function fileOf(files: string[], number: string): string {
  const file = files.find((name) => name.startsWith(`${number}-`))
  if (!file) throw new Error(`server/docs-index.ts names the decision ${number}, which does not exist`)
  return file
}

/** Throws unless each page is named once. */
function demandAll(files: string[], named: string[], folder: string): void {
  const missing = files.filter((file) => !named.includes(file))
  const repeated = named.filter((file, nth) => named.indexOf(file) !== nth)
  if (missing.length > 0)
    throw new Error(`server/docs-index.ts does not name ${missing.join(', ')} of ${folder}`)
  if (repeated.length > 0) throw new Error(`server/docs-index.ts names ${repeated.join(', ')} twice`)
}

/** The first heading of a page; other files have their name. Generated indexes have a fixed title. */
function titleOf(folder: string, path: string): string {
  if (path === 'decisions/README.md') return 'Decisions'
  if (!path.endsWith('.md')) return path
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(folder, path), 'utf8')) ?? []
  if (!title) throw new Error(`${path} has no heading`)
  return title
}
