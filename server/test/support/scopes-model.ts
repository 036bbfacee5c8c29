/**
 * What two systems, the platform and the owner of a mailbox have stated about one user, and what follows from
 * it: a system's part depends on the global part and on its own, never on the other system's.
 */
export type Place = 'S' | 'T'
export const PLACES = ['S', 'T'] as const
export const other = (at: Place): Place => (at === 'S' ? 'T' : 'S')
/** The author of a value. */
export type Author = Place | 'visitor' | 'platform' | 'owner'

type Facts = { disabled: boolean; emailVerified: boolean; metadata: object }
type Phone = { phoneNumber: string | null; phoneNumberVerified: boolean }
const NO_PHONE: Phone = { phoneNumber: null, phoneNumberVerified: false }
/** What a system states. `name` is absent, cleared or set; the phone is absent or set. */
export type Stated = Facts & {
  name?: string | null
  phone?: Phone
  password?: string | undefined
  mustChange: boolean
  /** The factor that the user has enrolled is not valid here. */
  refusesFactor: boolean
  /** The recovery codes of a second factor that is valid here only. */
  codes?: string[] | undefined
  /** The user has accepted to be a member, with global credentials. */
  entered: boolean
  /** The user has moved from the address that the system reads until the user enters. */
  hasMoved: boolean
}
export type Global = Facts & {
  name: string | null
  phone: Phone
  password: string | undefined
  /** The recovery codes of a second factor. */
  codes: string[] | undefined
  /**
   * Credentials that an emailed code has to confirm, with the address that they were valid with; null for an
   * imported one.
   */
  unconfirmed: { password?: string | null; codes?: string | null }
}

export type Model = {
  email: string
  /** Undefined if no user has the address. */
  id: string | undefined
  global: Global
  stated: Record<Place, Stated | undefined>
  /** The systems that have removed the user, and read the former address if they add the user again. */
  removed: Set<Place>
  /** The status of the user's memberships, by id. */
  memberships: Record<Place, Map<string, { status: string; accountId: string }>>
  /** Every password that somebody chose or learned. */
  passwords: { by: Author; password: string }[]
  /** Names and metadata that only the given author wrote. */
  marks: { by: Place | 'global'; mark: string; isProfile: boolean }[]
  /** Access tokens that no act has ended. */
  live: Partial<Record<Place, string>>
  /** How many of the emails are so old that their links are no longer valid. */
  spent: { reset: number; verify: number }
}

export const blank = (): Stated => ({
  disabled: false,
  emailVerified: false,
  metadata: {},
  mustChange: false,
  refusesFactor: false,
  entered: false,
  hasMoved: false,
})
const nobody = (): Global => ({
  name: null,
  phone: NO_PHONE,
  disabled: false,
  emailVerified: false,
  metadata: {},
  password: undefined,
  codes: undefined,
  unconfirmed: {},
})

export const newModel = (email: string): Model => ({
  email,
  id: undefined,
  global: nobody(),
  stated: { S: undefined, T: undefined },
  removed: new Set(),
  memberships: { S: new Map(), T: new Map() },
  passwords: [],
  marks: [],
  live: {},
  spent: { reset: 0, verify: 0 },
})

/** The user has another address, which systems read once the user enters. */
export function move(model: Model, email: string): void {
  Object.assign(model, { email, spent: { reset: 0, verify: 0 } })
  for (const at of PLACES) if (model.stated[at]) model.stated[at].hasMoved = true
}

/** Whether a system does not read the present address of its user. */
export const readsFormerAddress = ({ stated }: Model, at: Place): boolean =>
  stated[at]?.hasMoved === true && !stated[at].entered

/** Adds the user to the users of a system, if they are not among them. */
export function add({ stated, removed }: Model, at: Place): Stated {
  stated[at] ??= { ...blank(), hasMoved: removed.has(at) }
  return stated[at]
}

export function remove(model: Model, at: Place): void {
  if (readsFormerAddress(model, at)) model.removed.add(at)
  else model.removed.delete(at)
  model.stated[at] = undefined
  model.memberships[at].clear()
}

export function forgetUser(model: Model): void {
  Object.assign(model, { id: undefined, global: nobody(), live: {} })
  for (const at of PLACES) {
    model.stated[at] = undefined
    model.memberships[at].clear()
  }
  model.removed.clear()
}

/** The one password that is valid in a system or at the account pages, whatever the memberships. */
export function acceptedAt({ global, stated }: Model, at: Place | 'account'): string | undefined {
  const mine = at === 'account' ? undefined : stated[at]
  return global.disabled || mine?.disabled ? undefined : (mine?.password ?? global.password)
}

/** Whether the system's own password passes its verification: whoever joins proves the address. */
export function entersBy({ global, stated, memberships }: Model, at: Place): boolean {
  const mine = stated[at]
  const isProved = global.emailVerified || mine?.emailVerified || memberships[at].size > 0
  return isProved && mine?.password !== undefined && !mine.disabled && !global.disabled
}

/** The password with which a sign-in ends at the account pages or in the application. */
export function keyOf(model: Model, at: Place | 'account'): string | undefined {
  if (at === 'account') return acceptedAt(model, at)
  const isMember = [...model.memberships[at].values()].some(({ status }) => status === 'active')
  return isMember && !model.stated[at]?.mustChange ? acceptedAt(model, at) : undefined
}

const statedAt = ({ stated }: Model, at: Place | 'account') => (at === 'account' ? undefined : stated[at])

/** The recovery codes without a system, where a place accepts them: also beside those of the system. */
const ownCodesAt = (model: Model, at: Place | 'account'): string[] | undefined =>
  statedAt(model, at)?.refusesFactor ? undefined : model.global.codes

/** The recovery codes that a sign-in of these tests uses: those of the system, if there are any. */
export const codesAt = (model: Model, at: Place | 'account'): string[] | undefined =>
  statedAt(model, at)?.codes ?? ownCodesAt(model, at)

/** Whether a sign-in asks for a second factor. */
export const asksFactor = (model: Model, at: Place | 'account'): boolean => codesAt(model, at) !== undefined

/** Whether these tests use the one that is valid everywhere. */
export const usesOwnFactor = (model: Model, at: Place | 'account'): boolean =>
  asksFactor(model, at) && codesAt(model, at) === model.global.codes

/** Whether the one that is valid everywhere is accepted. */
export const acceptsOwnFactor = (model: Model, at: Place | 'account'): boolean =>
  ownCodesAt(model, at) !== undefined

/** Whether a sign-in with a password asks for an emailed code: one of its credentials is not confirmed. */
export function asksCode(model: Model, at: Place | 'account', password: string): boolean {
  const { global } = model
  const isOwn = password === global.password && global.unconfirmed.password !== undefined
  return isOwn || (usesOwnFactor(model, at) && global.unconfirmed.codes !== undefined)
}

/**
 * An emailed code verifies the address, and confirms what was used and what was valid with the same address.
 */
export function confirm({ global }: Model, used: ('password' | 'codes')[]): void {
  const { unconfirmed } = global
  const addresses = used.map((each) => unconfirmed[each])
  for (const each of ['password', 'codes'] as const)
    if (used.includes(each) || (unconfirmed[each] && addresses.includes(unconfirmed[each])))
      delete unconfirmed[each]
  global.emailVerified = true
}

/** The user as a system reads it. */
export function readIn({ global, stated }: Model, at: Place) {
  const mine = stated[at]
  if (!mine) return undefined
  const { password, name, phone, mustChange, entered, codes, ...facts } = mine
  return {
    name: name !== undefined ? name : entered ? global.name : null,
    ...(phone ?? NO_PHONE),
    metadata: facts.metadata,
    emailVerified: facts.emailVerified || (entered && global.emailVerified),
    disabled: facts.disabled || (entered && global.disabled),
    hasPassword: password !== undefined,
    mustChangePassword: mustChange,
    mfaEnabled: codes !== undefined,
  }
}

/** The claims about the user in the tokens of a system. */
export const claimsIn = (model: Model, at: Place) => ({
  name: readIn(model, at)?.name ?? undefined,
  email_verified: readIn(model, at)?.emailVerified === true,
})

/** The user as the platform reads it. */
export const readGlobally = ({ global: { password, codes, unconfirmed, phone, ...facts } }: Model) => ({
  ...facts,
  ...phone,
  hasPassword: password !== undefined,
  mfaEnabled: codes !== undefined,
})

/** Whether the removal of the user by a system leaves the user to others. */
export const remainsWithout = ({ global, stated }: Model, at: Place): boolean =>
  stated[other(at)] !== undefined ||
  global.password !== undefined ||
  global.emailVerified ||
  global.disabled ||
  global.name !== null ||
  global.phone.phoneNumber !== null ||
  Object.keys(global.metadata).length > 0

/** A password by mail replaces those of every system. */
export function passwordByMail(model: Model, password: string): void {
  Object.assign(model.global, { password, emailVerified: true })
  delete model.global.unconfirmed.password
  for (const at of PLACES) {
    const mine = model.stated[at]
    if (mine) Object.assign(mine, { password: undefined, mustChange: false })
  }
}

export const passwordOf = (model: Model, by: Author): string => {
  const password = `a password of ${by} ${crypto.randomUUID()}`
  model.passwords.push({ by, password })
  return password
}

export const markOf = (model: Model, by: Place | 'global', isProfile: boolean): string => {
  const mark = `${isProfile ? 'name' : 'note'} by ${by} ${crypto.randomUUID()}`
  model.marks.push({ by, mark, isProfile })
  return mark
}

/** A number that nobody else has stated. */
export const phoneOf = (phoneNumberVerified: boolean): Phone => ({
  phoneNumber: `+1${Math.floor(Math.random() * 1e10)
    .toString()
    .padStart(10, '0')}`,
  phoneNumberVerified,
})

/** What no answer to a system may contain. */
export const hiddenFrom = ({ marks, stated }: Model, at: Place): string[] =>
  marks
    .filter(({ by, isProfile }) => by !== at && !(by === 'global' && isProfile && stated[at]?.entered))
    .map(({ mark }) => mark)
