/** Passkeys (Web Authentication Level 3): for this service's own address only, and never without user verification. */
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Static, Type } from 'typebox'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import {
  findPasskey,
  type ListedPasskey,
  type NewPasskey,
  type Passkey,
  usePasskey,
} from '../resources/factors/queries.ts'
import { fits } from '../tuning/compiled.ts'
import { isChallenge, newChallenge, spendChallenge } from './challenges.ts'

type Parts = { db: Db; seal: Seal; config: Config }

/** Loaded when the first passkey is used: it takes a third of a second. */
const library = () => import('@simplewebauthn/server')

/** 5 minutes, in ms: how long a browser waits for the person. */
const TIMEOUT = 300_000
/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257]

const rpIdOf = ({ BASE_URL }: Config) => new URL(BASE_URL).hostname

/** An IP address can't have passkeys. */
export const hasPasskeys = (config: Config): boolean => isIP(rpIdOf(config).replace(/^\[|\]$/g, '')) === 0

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

/** What a browser made, as an object or as the JSON of one. */
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

/** What navigator.credentials.get takes, in JSON. Without `known` any passkey of this service may answer. */
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

/** What navigator.credentials.create takes, in JSON. */
export const creationOptions = (
  { seal, config }: Omit<Parts, 'db'>,
  binding: string,
  user: { id: string; email: string },
  known: ListedPasskey[],
) => ({
  challenge: newChallenge(seal, binding),
  rp: { id: rpIdOf(config), name: rpIdOf(config) },
  user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
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
export type CheckedPasskey = { passkey: Passkey } & Checked

/** The passkey that has signed the challenge of this binding; `keepUse` uses both. */
export async function checkAssertion(
  { db, seal, config }: Parts,
  given: unknown,
  binding: string,
): Promise<CheckedPasskey | undefined> {
  const assertion = read(Assertion, given)
  const passkey = assertion && (await findPasskey(db, assertion.id))
  if (!passkey) return undefined
  const { userHandle } = assertion.response
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== passkey.userId) return undefined
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
    return undefined // the library throws for what does not match
  }
}

/** Uses a passkey and its challenge. False when either was used meanwhile, or the passkey was removed. */
export async function keepUse(
  tx: Db,
  seal: Seal,
  { passkey, challenge, ...use }: CheckedPasskey,
  life: number,
): Promise<boolean> {
  return (await spendChallenge(tx, seal, challenge, life)) && (await usePasskey(tx, passkey.id, use))
}

/** A passkey that was made for the challenge of this binding; keep it with `addPasskey`, in the transaction that spends the challenge. */
export async function checkAttestation(
  { seal, config }: Omit<Parts, 'db'>,
  given: unknown,
  binding: string,
): Promise<{ challenge: string; made: Omit<NewPasskey, 'userId' | 'name'> } | undefined> {
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
    return undefined // the library throws for what does not match
  }
}
