/** The people of a request, read once in it: the library asks for grant, person and claims one after the other. */
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { findMember, type Member } from '../../resources/sessions/queries.ts'
import { findSignIn, type SignIn } from '../storage/queries.ts'

const members = new WeakMap<KoaContextWithOIDC, Map<string, Promise<Member | undefined>>>()

function membersOf(ctx: KoaContextWithOIDC): Map<string, Promise<Member | undefined>> {
  const known = members.get(ctx) ?? new Map<string, Promise<Member | undefined>>()
  members.set(ctx, known)
  return known
}

/** The member behind a session that another statement has read; none when that session is not alive. */
export function knowMember(ctx: KoaContextWithOIDC, sid: string, member: Member | undefined): void {
  membersOf(ctx).set(sid, Promise.resolve(member))
}

/** The member behind a session. */
export function memberOf(ctx: KoaContextWithOIDC, db: Db, sid: string): Promise<Member | undefined> {
  const known = membersOf(ctx)
  const member = known.get(sid) ?? findMember(db, sid)
  known.set(sid, member)
  // Not there yet is no lasting answer: the same request may open the session next.
  member.then(
    (found) => found ?? known.delete(sid),
    () => known.delete(sid),
  )
  return member
}

const signIns = new WeakMap<KoaContextWithOIDC, { about: string; asked: Promise<SignIn | undefined> }>()

/** The person of the request's browser, where they could sign in, and the session they hold for the system of the request. */
export function signInOf(ctx: KoaContextWithOIDC, db: Db, userId: string): Promise<SignIn | undefined> {
  const { session, client } = ctx.oidc
  const systemId = String(client?.system_id)
  const sid = client && session?.grantIdFor(client.clientId)
  const about = `${userId} ${systemId} ${sid}`
  const known = signIns.get(ctx)
  if (known?.about === about) return known.asked
  const asked = findSignIn(db, { userId, systemId, sid })
  signIns.set(ctx, { about, asked })
  asked.then(
    (found) => found?.held && knowMember(ctx, found.held.sid, found.held),
    () => signIns.delete(ctx),
  )
  return asked
}

/**
 * The member behind the session that the browser holds for the system of the request. None when that session has ended,
 * or when an administrator has since ended another one of this browser and system.
 */
export async function heldMember(ctx: KoaContextWithOIDC, db: Db): Promise<Member | undefined> {
  const userId = ctx.oidc.session?.accountId
  const found = userId === undefined ? undefined : await signInOf(ctx, db, userId)
  return found?.overtaken ? undefined : found?.held
}
