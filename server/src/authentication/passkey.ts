/**
 * Passkeys (Web Authentication Level 3): for the host name of BASE_URL only, always with user verification.
 */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Static, Type } from 'typebox'
import type { Config } from '../config/config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Scope } from '../http/authority.ts'
import { guarded, limitsOfNetworks, NETWORK } from '../http/limits/guard.ts'
import { fits } from '../http/schema-compilers.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import {
  findPasskey,
  type ListedPasskey,
  type NewPasskey,
  type Passkey,
  usePasskey,
} from '../resources/factors/queries.ts'

type Parts = { db: Db; seal: Seal; config: Config }

/** Loaded on first use: it takes a third of a second. */
const library = () => import('@simplewebauthn/server')

/** 5 minutes, in ms: how long the browser waits for the user. */
const TIMEOUT = 300_000
/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257]

const rpIdOf = ({ BASE_URL }: Config) => new URL(BASE_URL).hostname

/** Passkeys need a host name: not available where BASE_URL has an IP address. */
export const hasPasskeys = (config: Config): boolean => isIP(rpIdOf(config).replace(/^\[|\]$/g, '')) === 0

/**
 * Whether a form says that the device of the browser can create a passkey. Our pages say so by a script, so
 * that nothing is offered without one.
 */
export const canMakePasskeys = (body: unknown): boolean =>
  (body as { passkeys?: unknown } | null | undefined)?.passkeys === 'yes'

const Text = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' })
const Credential = { id: Text(1_400), rawId: Text(1_400), type: Type.Literal('public-key') }

const Assertion = Type.Object({
  ...Credential,
  response: Type.Object({
    clientDataJSON: Text(4_000),
    authenticatorData: Text(4_000),
    signature: Text(2_000),
    userHandle: Type.Optional(Type.Union([Text(200), Type.Null()])),
  }),
})
const Attestation = Type.Object({
  ...Credential,
  response: Type.Object({
    clientDataJSON: Text(4_000),
    attestationObject: Text(10_000),
    transports: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z-]{1,20}$' }), { maxItems: 10 })),
  }),
})

/** The result of navigator.credentials, as an object or as JSON text. */
function read<Shape extends typeof Assertion | typeof Attestation>(
  shape: Shape,
  given: unknown,
): Static<Shape> | undefined {
  let value = given
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given)
    } catch {
      return undefined
    }
  }
  return fits(shape, value) ? value : undefined
}

/**
 * The options of navigator.credentials.get, as JSON. Without `known` every
 * passkey of this service is accepted.
 */
export const assertionOptions = (
  { seal, config }: Omit<Parts, 'db'>,
  binding: string,
  known: ListedPasskey[] = [],
) => ({
  challenge: newChallenge(seal, binding),
  rpId: rpIdOf(config),
  timeout: TIMEOUT,
  userVerification: 'required',
  allowCredentials: known.map(descriptorOf),
})

/** The user of a new passkey, and where it is valid. `systemName`: unless it is valid everywhere. */
type PasskeyUser = { id: string; email: string; scope: Scope; systemName?: string | undefined }

/**
 * The user handle (Web Authentication section 14.6.1), base64url: another one for each scope, so that a
 * passkey of one system does not replace, in an authenticator, the one that is valid everywhere.
 */
const userHandle = (seal: Seal, { id, scope }: Pick<PasskeyUser, 'id' | 'scope'>): string =>
  seal.hash(JSON.stringify([id, scope]), 'passkey-user').toString('base64url')

/** The options of navigator.credentials.create, as JSON. */
export const creationOptions = (
  { seal, config }: Omit<Parts, 'db'>,
  binding: string,
  user: PasskeyUser,
  known: ListedPasskey[],
) => ({
  challenge: newChallenge(seal, binding),
  rp: { id: rpIdOf(config), name: rpIdOf(config) },
  user: {
    id: userHandle(seal, user),
    name: user.email,
    displayName: user.systemName === undefined ? user.email : `${user.email} (${user.systemName})`,
  },
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: TIMEOUT,
  attestation: 'none',
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  excludeCredentials: known.map(descriptorOf),
})

const descriptorOf = ({ credentialId, transports }: ListedPasskey) => ({
  type: 'public-key',
  id: credentialId,
  transports,
})

type Checked = { challenge: string; counter: number; backedUp: boolean }
type CheckedPasskey = { passkey: Passkey } & Checked

/**
 * Verifies a signature and returns the passkey that made it, if it is valid in the system, for a challenge of
 * this binding. Pass the result to `consumePasskey`.
 */
export async function checkAssertion(
  { db, seal, config }: Parts,
  given: unknown,
  { binding, systemId }: { binding: string; systemId: Scope },
): Promise<CheckedPasskey | undefined> {
  const assertion = read(Assertion, given)
  const passkey = assertion && (await findPasskey(db, assertion.id, systemId))
  if (!passkey) return undefined
  const handle = assertion.response.userHandle
  if (handle && handle !== userHandle(seal, { id: passkey.userId, scope: passkey.systemId })) return undefined
  let challenge = ''
  const isOurs = (signed: string) => {
    challenge = signed
    return isChallenge(seal, signed, binding)
  }
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: isOurs,
      expectedOrigin: config.BASE_URL,
      expectedRPID: rpIdOf(config),
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    })
    const { newCounter: counter, credentialBackedUp: backedUp } = authenticationInfo
    return verified ? { passkey, challenge, counter, backedUp } : undefined
  } catch {
    return undefined // the library throws for a mismatch
  }
}

/**
 * Consumes the challenge and updates the passkey. False if a concurrent request
 * did, or the passkey was removed.
 */
export async function consumePasskey(
  tx: Db,
  seal: Seal,
  { passkey, challenge, ...use }: CheckedPasskey,
  lifetime: number,
): Promise<boolean> {
  return (await consumeChallenge(tx, seal, challenge, lifetime)) && (await usePasskey(tx, passkey.id, use))
}

/**
 * Verifies the registration of a new passkey for a challenge of this binding. The transaction that stores the
 * passkey calls `consumeChallenge`.
 */
export async function checkAttestation(
  { seal, config }: Omit<Parts, 'db'>,
  given: unknown,
  binding: string,
): Promise<{ challenge: string; made: Omit<NewPasskey, 'id' | 'userId' | 'systemId' | 'name'> } | undefined> {
  const attestation = read(Attestation, given)
  if (!attestation) return undefined
  let challenge = ''
  const isOurs = (signed: string) => {
    challenge = signed
    return isChallenge(seal, signed, binding)
  }
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, clientExtensionResults: {} } as RegistrationResponseJSON,
      expectedChallenge: isOurs,
      expectedOrigin: config.BASE_URL,
      expectedRPID: rpIdOf(config),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return undefined
    const { credential, credentialBackedUp: backedUp } = registrationInfo
    const { transports = [] } = attestation.response
    const publicKey = Buffer.from(credential.publicKey)
    return {
      challenge,
      made: { credentialId: credential.id, publicKey, counter: credential.counter, transports, backedUp },
    }
  } catch {
    return undefined // the library throws for a mismatch
  }
}

const challengeMark = (seal: Seal, nonce: string, binding: string) =>
  seal
    .hash(JSON.stringify([nonce, binding]), 'passkey-challenge')
    .subarray(0, 16)
    .toString('base64url')

/**
 * A challenge (Web Authentication section 13.4.3), base64url: 128 random bits and a keyed
 * hash that binds them to `binding`, a random value of one sign-in or session. Nothing is
 * stored until the challenge is consumed.
 */
function newChallenge(seal: Seal, binding: string): string {
  const nonce = randomBytes(16)
  return Buffer.concat([
    nonce,
    Buffer.from(challengeMark(seal, nonce.toString('base64url'), binding), 'base64url'),
  ]).toString('base64url')
}

function isChallenge(seal: Seal, challenge: string, binding: string): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== 32) return false
  const [nonce, mark] = [bytes.subarray(0, 16), bytes.subarray(16)].map((part) => part.toString('base64url'))
  return sameText(challengeMark(seal, nonce!, binding), mark!)
}

/** Consumes a challenge: true for exactly one caller. `lifetime` in seconds, at least that of the binding. */
export const consumeChallenge = (tx: Db, seal: Seal, challenge: string, lifetime: number): Promise<boolean> =>
  insertArtifact(tx, {
    model: 'PasskeyChallenge',
    idHash: seal.hash(challenge, 'passkey-challenge-spent'),
    expiresIn: lifetime,
  })

/** Runs `find` for the passkey of an unidentified user, limited by network. Throws `too_many_requests`. */
export async function limitPasskeys<Found>(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  ip: string,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  let found: Found | undefined
  await guarded(db, limitsOfNetworks(seal, 'passkey', NETWORK, ip), async () => {
    found = await find()
    return found !== undefined
  })
  return found
}
