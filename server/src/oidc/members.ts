import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../db.ts'
import { findMember, isOvertaken, type Member } from '../sessions/queries.ts'

const read = new WeakMap<KoaContextWithOIDC, Map<string, Promise<Member | undefined>>>()

/** The member behind a session, read once in a request: the library asks for grant, person and claims one after the other. */
export function memberOf(ctx: KoaContextWithOIDC, db: Db, sid: string): Promise<Member | undefined> {
  const known = read.get(ctx) ?? new Map<string, Promise<Member | undefined>>()
  read.set(ctx, known)
  const member = known.get(sid) ?? findMember(db, sid)
  known.set(sid, member)
  // Not there yet is no lasting answer: the same request may open the session next.
  member.then(
    (found) => found ?? known.delete(sid),
    () => known.delete(sid),
  )
  return member
}

/**
 * The member behind the session that the browser holds for the system of the request. None when that session has ended,
 * or when an administrator has since ended another one of this browser and system.
 */
export async function heldMember(ctx: KoaContextWithOIDC, db: Db): Promise<Member | undefined> {
  const { session, client } = ctx.oidc
  const sid = client && session?.grantIdFor(client.clientId)
  const member = sid === undefined ? undefined : await memberOf(ctx, db, sid)
  return member && !(await isOvertaken(db, member.sid)) ? member : undefined
}
