/**
 * The addresses of uploaded images in `branding` of a system. A change of it keeps an image by its present
 * address, and removes it otherwise; only the upload itself sets one (resources/branding).
 */
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import type { Branding } from '../../database/schema.ts'
import { Failure, type FieldFault } from '../../errors.ts'
import { deleteImage, type ImageKind, imagesAt } from '../images/queries.ts'

/** The field with the address of each image. */
export const IMAGE_FIELDS = {
  logo: 'logoUrl',
  'logo-dark': 'logoDarkUrl',
  favicon: 'faviconUrl',
} as const satisfies Record<ImageKind, keyof Branding>

const KINDS = Object.keys(IMAGE_FIELDS) as ImageKind[]

/** Only the logo can have an address elsewhere. */
const isRefused = (issuer: Pick<Config, 'BASE_URL'>, kind: ImageKind, address: string): boolean =>
  kind !== 'logo' || address.startsWith(imagesAt(issuer))

/** Throws `invalid_request` for the address of an upload that the system does not have. */
export function checkUploads(
  issuer: Pick<Config, 'BASE_URL'>,
  before: Branding,
  after: Branding | undefined,
): void {
  const errors = KINDS.flatMap((kind): FieldFault[] => {
    const field = IMAGE_FIELDS[kind]
    const address = after?.[field]
    return address === undefined || address === before[field] || !isRefused(issuer, kind, address)
      ? []
      : [{ path: `/branding/${field}`, message: 'is set by an upload: only the present address is accepted' }]
  })
  if (errors.length > 0) throw new Failure('invalid_request', { errors })
}

/** Deletes the images of a row-locked system whose addresses `after` does not have any more. */
export async function dropUploads(
  tx: Db,
  { id: systemId, branding }: { id: string; branding: Branding },
  after: Branding,
): Promise<void> {
  for (const kind of KINDS)
    if (after[IMAGE_FIELDS[kind]] !== branding[IMAGE_FIELDS[kind]]) await deleteImage(tx, { systemId, kind })
}
