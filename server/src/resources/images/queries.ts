/** The SQL of uploaded images, and their addresses. */
import { createHash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { and, eq, isNull, type SQL, sql } from '../../database/drizzle.ts'
import { accounts, images, systems } from '../../database/schema.ts'

export type ImageKind = typeof images.$inferSelect.kind
/** What an image belongs to. */
export type ImagePlace = { systemId: string; accountId?: string; kind: ImageKind }

type Issuer = Pick<Config, 'BASE_URL'>

/** Below it are the images that were uploaded. */
export const imagesAt = ({ BASE_URL }: Issuer): string => `${BASE_URL}/brand/`

export const imageAddress = (issuer: Issuer, hash: string): string => `${imagesAt(issuer)}${hash}.png`

/** The hash belongs to one place: an image that is removed there is found at no other. */
const imageHashOf = ({ systemId, accountId, kind }: ImagePlace, bytes: Buffer): string =>
  createHash('sha256')
    .update(JSON.stringify([systemId, accountId ?? null, kind]))
    .update(bytes)
    .digest('base64url')

const at = ({ systemId, accountId, kind }: ImagePlace): SQL | undefined =>
  and(
    eq(images.systemId, systemId),
    accountId === undefined ? isNull(images.accountId) : eq(images.accountId, accountId),
    eq(images.kind, kind),
  )

/** Stores an image in its place, whose owner is row-locked. Returns its hash. */
export async function putImage(tx: Db, place: ImagePlace, bytes: Buffer): Promise<string> {
  const hash = imageHashOf(place, bytes)
  await tx.delete(images).where(and(at(place), sql`${images.hash} <> ${hash}`))
  await tx
    .insert(images)
    .values({ ...place, hash, bytes })
    .onConflictDoNothing()
  return hash
}

export async function deleteImage(tx: Db, place: ImagePlace): Promise<boolean> {
  return (await tx.delete(images).where(at(place)).returning({ hash: images.hash })).length > 0
}

/** The image of a system that was not deleted. A job deletes the rows of a large one after it. */
export async function findImage(db: Db, hash: string): Promise<Buffer | undefined> {
  const [found] = await db
    .select({ bytes: images.bytes })
    .from(images)
    .innerJoin(systems, eq(systems.id, images.systemId))
    .where(eq(images.hash, hash))
  return found?.bytes
}

/**
 * Rewrites the addresses of all images if BASE_URL has changed since they were stored. They are stored with
 * it, so that a page, an email and an answer have the same one.
 */
export async function renewImageAddresses(tx: Db, issuer: Issuer): Promise<void> {
  const address = sql`${imagesAt(issuer)} || ${images.hash} || '.png'`
  const field = sql`case ${images.kind} when 'logo' then 'logoUrl' when 'logo-dark' then 'logoDarkUrl'
    else 'faviconUrl' end`
  const renewed = (owner: SQL, of: SQL) =>
    sql`select ${owner} as owner, jsonb_object_agg(${field}, ${address}) as addresses from ${images}
      where ${of} group by ${owner}`
  for (const [table, owner, of] of [
    [systems, sql`${images.systemId}`, sql`${images.accountId} is null`],
    [accounts, sql`${images.accountId}`, sql`${images.accountId} is not null`],
  ] as const)
    await tx.execute(sql`
      update ${table} t set branding = t.branding || r.addresses from (${renewed(owner, of)}) r
      where t.id = r.owner and not t.branding @> r.addresses`)
}
