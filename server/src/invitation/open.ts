/** The invitation of a link, and what its page offers to this browser. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { EVERYTHING } from '../http/authority.ts'
import { languageOf } from '../http/language.ts'
import { isForOthers } from '../lifecycle/accept-invitation.ts'
import { mustSignIn } from '../lifecycle/confirm-registration.ts'
import { INVITATION_CALLBACK } from '../oidc/clients/client.ts'
import { type InviteParts, linkHashOf } from '../resources/invitations/invite.ts'
import { findInvitationByLink, findOpened, type OpenedInvitation } from '../resources/invitations/queries.ts'
import { findMembershipOf } from '../resources/memberships/queries.ts'
import { findUser, findUserOf, type User } from '../resources/users/queries.ts'
import type { SignInTarget } from '../self-service/sign-in.ts'
import { completelySignedIn } from '../self-service/signed-in.ts'
import type { Locale } from '../texts/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import type { InvitationStep } from '../ui/pages/invitation.ts'

export type InvitationParts = InviteParts & { db: Db; seal: Seal; config: Config; provider: () => Provider }

/** A sign-in for an invitation continues at its page, also when it is cancelled. */
export const INVITATION_SIGN_IN: SignInTarget = {
  path: '/invitation',
  callback: INVITATION_CALLBACK,
  returnsOnError: true,
  pageOf: (address) => (/^\/invitation\?token=[\w-]{43}$/.test(address) ? address : '/account'),
}

/** The page that lists the organization, for an application without an address. */
export const OWN_ACCOUNTS = '/account/accounts'

/** What a link leads to, for whoever opens it. */
export type FoundInvitation = {
  token: string
  linkHash: Buffer
  invitation: OpenedInvitation
  /** The signed-in user. */
  user: User | undefined
  /** The browser is signed in with another address than the invited one. */
  isAnother: boolean
}

/** What every page of an invitation shows. */
export type Seen = FoundInvitation & {
  locale: Locale
  system: SystemLook
  /** The look of the system with the way on of a member. */
  joined: SystemLook
}

export type Opened = Seen & {
  step: InvitationStep
  /** The address of the signed-in user who can accept it although it is for another one. */
  joinAs: string | undefined
  /**
   * The membership of the signed-in user who has accepted it; or nothing can be done, because of the account.
   */
  answered: 'joined' | 'pending' | 'suspended' | undefined
}

/** The last link of an invitation, also of one that has ended. */
export async function find(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<FoundInvitation | undefined> {
  const invitation = await findInvitationByLink(parts.db, linkHashOf(parts.seal, token))
  return invitation && visited(parts, request, reply, { token, invitation })
}

/** The invitation of a link whatever its status; `id`: that this browser has answered. */
export const findEnded = (
  { db, seal }: InvitationParts,
  { token, id }: { token: string; id?: string | undefined },
): Promise<OpenedInvitation | undefined> =>
  id === undefined ? findInvitationByLink(db, linkHashOf(seal, token)) : findOpened(db, id)

async function visited(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { token, invitation }: Pick<FoundInvitation, 'token' | 'invitation'>,
): Promise<FoundInvitation> {
  const linkHash = linkHashOf(parts.seal, token)
  const userId = await completelySignedIn(parts, request, reply)
  const user = userId === undefined ? undefined : await findUser(parts.db, EVERYTHING, userId)
  return {
    token,
    linkHash,
    invitation,
    user,
    isAnother: user !== undefined && user.email !== invitation.email,
  }
}

/** Undefined if the link is not valid. */
export async function openInvitation(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<Opened | undefined> {
  const found = await find(parts, request, reply, token)
  if (!found) return undefined
  const { invitation, user, isAnother } = found
  const answered = await answeredBy(parts.db, invitation, user)
  if (invitation.status !== 'pending' && !answered) return undefined
  const isWaiting = invitation.status === 'pending' && invitation.isSuspended
  const step = await stepOf(parts.db, invitation, user)
  const joinAs = user && isAnother && isForOthers(invitation, user) ? user.email : undefined
  return {
    ...(await seen(parts, request, found)),
    step,
    joinAs,
    answered: isWaiting ? 'suspended' : answered,
  }
}

/** The invitation that this browser has answered, also if its link has ended by that. */
export async function reopenInvitation(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, token }: { id: string; token: string },
): Promise<Seen | undefined> {
  const invitation = await findOpened(parts.db, id)
  return invitation && seen(parts, request, await visited(parts, request, reply, { token, invitation }))
}

async function seen(
  { config, db }: InvitationParts,
  request: FastifyRequest,
  found: FoundInvitation,
): Promise<Seen> {
  const { invitation, user } = found
  const { system, accountId, email } = invitation
  const { invitationUri } = system
  const locale = languageOf(request, user?.locale ?? undefined)
  // A member who has not entered the system may have another address than the system knows.
  const member = user && (await findMembershipOf(db, { userId: user.id, accountId }))
  const way = { invitationUri, accountId, loginHint: member?.email ?? email }
  return { ...found, locale, system: lookOf(config, system), joined: lookOf(config, system, way) }
}

/** Whether the user has accepted it and is still a member. */
async function answeredBy(
  db: Db,
  { status, acceptedBy, accountId }: OpenedInvitation,
  user: User | undefined,
): Promise<'joined' | 'pending' | undefined> {
  if (status !== 'accepted' || !user || acceptedBy !== user.id) return undefined
  const membership = await findMembershipOf(db, { userId: user.id, accountId })
  if (!membership || membership.status === 'blocked') return undefined
  return membership.status === 'pending' ? 'pending' : 'joined'
}

async function stepOf(
  db: Db,
  { email, mailed }: OpenedInvitation,
  user: User | undefined,
): Promise<InvitationStep> {
  if (user?.email === email && (mailed || user.emailVerified)) return 'join'
  if (!mailed) return 'confirm'
  const known = await findUserOf(db, email)
  if (!known || !mustSignIn(known)) return 'register'
  return user ? 'another' : 'sign_in'
}
