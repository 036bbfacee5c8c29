/**
 * What the login of an organization is worth, decided a second time. The threat: whoever controls the
 * identity provider of an organization can assert anything about its members, so one forgotten condition
 * would make its word count in another account, another system or on the user's own pages. The code decides
 * from the proofs of a browser session and the present rows (authentication/proofs.ts); this model decides
 * from the history of everything that happened, and imports none of it.
 *
 * Accounts A and B are of system S, C is of system T.
 */
export const SYSTEMS = ['S', 'T'] as const
export type System = (typeof SYSTEMS)[number]
export const ACCOUNTS = { A: 'S', B: 'S', C: 'T' } as const satisfies Record<string, System>
export type Account = keyof typeof ACCOUNTS
/** The connections, and their accounts. */
export const CONNECTIONS = { a1: 'A', a2: 'A', b1: 'B', c1: 'C' } as const satisfies Record<string, Account>
export type Connection = keyof typeof CONNECTIONS
export const USERS = ['ann', 'bob'] as const
export type User = (typeof USERS)[number]

/** The credentials of each user: where each is valid (null: everywhere), and what it proves. */
export const LOGINS = {
  password: { scope: null, method: 'password', amr: ['pwd'] },
  passwordOfS: { scope: 'S', method: 'password', amr: ['pwd'] },
  passwordOfT: { scope: 'T', method: 'password', amr: ['pwd'] },
  passkey: { scope: null, method: 'passkey', amr: ['swk', 'user', 'mfa'] },
  /** Valid only with an emailed code where another login is left. */
  imported: { scope: null, method: 'social', amr: ['fed'] },
} as const
export const FACTORS = {
  app: { scope: null, method: 'totp', amr: ['otp', 'mfa'] },
  appOfS: { scope: 'S', method: 'totp', amr: ['otp', 'mfa'] },
  recovery: { scope: null, method: 'recoveryCode', amr: ['otp', 'mfa'] },
  mail: { scope: null, method: 'mailedCode', amr: ['otp', 'email'] },
} as const
export type Login = keyof typeof LOGINS
export type Factor = keyof typeof FACTORS

/** What happens. `at`: ms since 1970, later than everything before. */
export type Act = { at: number } & (
  | { act: 'login'; user: User; by: Login }
  | { act: 'factor'; by: Factor }
  | {
      act: 'assertion'
      user: User
      by: Connection
      mfa: 'reported' | 'trusted' | undefined
      loginAt: number | undefined
    }
  | { act: 'signOut' }
  | { act: 'enable' | 'disable' | 'endSessions' | 'trust' | 'distrust'; of: Connection }
  | { act: 'hours'; of: Connection; hours: number }
  | { act: 'link' | 'unlink'; user: User; of: Connection }
  | { act: 'require' | 'requireNoMore'; of: Account }
  | { act: 'exempt' | 'exemptNoMore'; user: User; of: Account }
  | { act: 'replace'; user: User; by: Login }
  | { act: 'reset' | 'disableFactors'; user: User; of: System }
)

/** Where somebody asks: the pages of the user, a system before its account is known, or an account. */
export type Place = 'pages' | System | Account
export const PLACES: readonly Place[] = ['pages', ...SYSTEMS, ...(Object.keys(ACCOUNTS) as Account[])]
const isAccount = (place: Place): place is Account => place in ACCOUNTS
export const systemOf = (place: Place): System | null =>
  place === 'pages' ? null : isAccount(place) ? ACCOUNTS[place] : place

/** `authTime`: in seconds since 1970; none if no login counts as one in person. */
export type Verdict = {
  by: 'nothing' | 'own' | 'connection'
  amr: string[]
  authTime: number | undefined
}

type Of<Kind extends Act['act']> = Extract<Act, { act: Kind }>

/** The acts of a browser session of one user, the last one in a history. */
function sessionIn(history: readonly Act[]): { user: User | undefined; from: number } {
  let [user, from]: [User | undefined, number] = [undefined, 0]
  history.forEach((each, index) => {
    const next = each.act === 'signOut' ? undefined : 'by' in each && 'user' in each ? each.user : user
    if (each.act === 'replace' || next === user) return
    user = next
    from = index
  })
  return { user, from }
}

/** The last act about something, if it is the first of two. */
const isOn = (history: readonly Act[], on: string, off: string, about: (act: Act) => boolean): boolean =>
  history.findLast((each) => (each.act === on || each.act === off) && about(each))?.act === on

/** Who the browser is of, after a history. */
export const userIn = (history: readonly Act[]): User | undefined => sessionIn(history).user

export const isEnabled = (history: readonly Act[], connection: Connection): boolean =>
  !isOn(history, 'disable', 'enable', (each) => 'of' in each && each.of === connection)

export const isLinked = (history: readonly Act[], user: User, connection: Connection): boolean =>
  isOn(
    history,
    'link',
    'unlink',
    (each) => 'of' in each && each.of === connection && 'user' in each && each.user === user,
  )

const isTrusted = (history: readonly Act[], connection: Connection): boolean =>
  isOn(history, 'trust', 'distrust', (each) => 'of' in each && each.of === connection)

export const isClosedFor = (history: readonly Act[], user: User, account: Account): boolean =>
  isOn(history, 'require', 'requireNoMore', (each) => 'of' in each && each.of === account) &&
  !isOn(
    history,
    'exempt',
    'exemptNoMore',
    (each) => 'user' in each && each.user === user && 'of' in each && each.of === account,
  )

/** How long a login by a connection is valid, in hours, until it is changed. */
export const HOURS = 24
const hoursOf = (history: readonly Act[], connection: Connection): number =>
  history.findLast((each): each is Of<'hours'> => each.act === 'hours' && each.of === connection)?.hours ??
  HOURS

const scopeOf = (act: Of<'login'> | Of<'factor'>) =>
  act.act === 'login' ? LOGINS[act.by].scope : FACTORS[act.by].scope

/** Whether a login or factor still counts in a system, or on the pages (null), after what followed. */
function survives(
  act: Of<'login'> | Of<'factor'>,
  later: readonly Act[],
  user: User,
  system: System | null,
): boolean {
  const scope = scopeOf(act)
  if (scope !== null && scope !== system) return false
  return later.every((next) => {
    if (next.act === 'login' && scopeOf(next) === scope) return false
    if (next.act === 'factor' && act.act === 'factor' && scopeOf(next) === scope)
      return FACTORS[next.by].method !== FACTORS[act.by].method
    if (next.act === 'replace') return !(next.user === user && act.act === 'login' && next.by === act.by)
    if (next.act === 'reset') return !(next.user === user && next.of === system)
    if (next.act === 'disableFactors')
      return !(next.user === user && next.of === system && act.act === 'factor' && act.by !== 'mail')
    return true
  })
}

/** The same for the login of an organization. */
function counts(act: Of<'assertion'>, later: readonly Act[], history: readonly Act[], now: number): boolean {
  const { user, by } = act
  const account = CONNECTIONS[by]
  const isUndone = later.some(
    (next) =>
      (next.act === 'assertion' && CONNECTIONS[next.by] === account) ||
      ((next.act === 'disable' || next.act === 'endSessions') && next.of === by) ||
      (next.act === 'unlink' && next.of === by && next.user === user) ||
      (next.act === 'reset' && next.user === user && next.of === ACCOUNTS[account]),
  )
  if (isUndone || !isEnabled(history, by)) return false
  if (act.mfa === 'trusted' && !isTrusted(history, by)) return false
  return now - act.at < hoursOf(history, by) * 3_600_000
}

/** What the browser may do at a place after a history. */
export function verdictAt(history: readonly Act[], place: Place, now: number): Verdict {
  const { user, from } = sessionIn(history)
  if (user === undefined) return { by: 'nothing', amr: [], authTime: undefined }
  const session = history.slice(from)
  const system = systemOf(place)
  const own: (Of<'login'> | Of<'factor'>)[] = []
  let asserted: Of<'assertion'> | undefined
  session.forEach((each, index) => {
    const later = session.slice(index + 1)
    if ((each.act === 'login' || each.act === 'factor') && survives(each, later, user, system)) own.push(each)
    if (each.act === 'assertion' && CONNECTIONS[each.by] === place && counts(each, later, history, now))
      asserted = each
  })
  const factors = own.filter(({ act, by }) => act === 'factor' && !(place === 'pages' && by === 'mail'))
  const all = own.filter((each): each is Of<'login'> => each.act === 'login')
  const confirmed = all.filter(({ by }) => by !== 'imported')
  const open = confirmed.length > 0 ? confirmed : all
  const logins = isAccount(place) && isClosedFor(history, user, place) ? [] : open
  const newestOwn = Math.max(0, ...logins.map(({ at }) => at))
  const amrOf = (kind: readonly { by: string }[]) =>
    kind.flatMap(({ by }) => [...{ ...LOGINS, ...FACTORS }[by as Login | Factor].amr])
  if (asserted && asserted.at >= newestOwn) {
    const { mfa, loginAt } = asserted
    const amr = ['fed', ...(mfa ? ['mfa'] : []), ...amrOf(factors)]
    return { by: 'connection', amr: unique(amr), authTime: inSeconds(loginAt) }
  }
  const inPerson = logins.filter(({ by }) => LOGINS[by].method !== 'social').map(({ at }) => at)
  return {
    by: logins.length > 0 ? 'own' : 'nothing',
    amr: unique(amrOf([...logins, ...factors])),
    authTime: inPerson.length > 0 ? inSeconds(Math.max(...inPerson)) : undefined,
  }
}

/** The logins in a system before the account is known: whether of the user, and by which organizations. */
export function loginsAt(
  history: readonly Act[],
  system: System,
  now: number,
): { own: boolean; accounts: Account[] } {
  const { user, from } = sessionIn(history)
  const session = history.slice(from)
  const accounts = session.flatMap((each, index) => {
    const isCounted = each.act === 'assertion' && counts(each, session.slice(index + 1), history, now)
    return isCounted && ACCOUNTS[CONNECTIONS[each.by]] === system ? [CONNECTIONS[each.by]] : []
  })
  const own = user !== undefined && verdictAt(history, system, now).by === 'own'
  return { own, accounts: [...new Set(accounts)].sort() }
}

const unique = (values: string[]): string[] => [...new Set(values)].sort()
const inSeconds = (time: number | undefined) => (time === undefined ? undefined : Math.floor(time / 1_000))
