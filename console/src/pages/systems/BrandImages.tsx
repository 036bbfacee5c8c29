import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { ImageUpload } from '../../parts/images/ImageUpload.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import { useEditing } from './editing.tsx'
import type { System } from './system.ts'

/** 256 kB and 1,024 pixels a side. */
const LIMITS = { bytes: 262_144, side: 1_024 }

const IMAGES = ['logo', 'logo-dark', 'favicon'] as const
type ImageName = (typeof IMAGES)[number]

const FIELDS = { logo: 'logoUrl', 'logo-dark': 'logoDarkUrl', favicon: 'faviconUrl' } as const

/** Whether an address is the one of an upload; a logo can have an address elsewhere. */
const isUpload = (address: string | undefined) =>
  address !== undefined && /\/brand\/[\w-]{43}\.png$/.test(address)

/** The uploads of an application: each is stored at once. `onChange`: after one has changed. */
export function BrandImages({ onChange }: { onChange: (system: System) => void }) {
  const t = texts.images
  return (
    <section className="panel">
      <h2>{t.title}</h2>
      <p className="muted">{t.lead}</p>
      {IMAGES.map((image) => (
        <OneImage key={image} image={image} onChange={onChange} />
      ))}
    </section>
  )
}

function OneImage({ image, onChange }: { image: ImageName; onChange: (system: System) => void }) {
  const { system, setSystem } = useEditing()
  const { canChange } = usePlace()
  const toast = useToast()
  const t = texts.images
  const path = { systemId: system.id, image }
  const onSuccess = (saved: System) => {
    setSystem(saved)
    onChange(saved)
    toast(texts.parts.saved)
  }
  const upload = useChange(
    (api, body: Uint8Array<ArrayBuffer>) =>
      api.put('/admin/systems/{systemId}/branding/{image}', { path, body }),
    { onSuccess },
  )
  const remove = useChange(
    async (api) => {
      await api.delete('/admin/systems/{systemId}/branding/{image}', { path })
      return api.get('/admin/systems/{systemId}', { path: { systemId: system.id } })
    },
    { onSuccess },
  )
  const address = system.branding[FIELDS[image]]
  return (
    <ImageUpload
      label={t[image]}
      hint={t[`${image}-hint`]}
      address={isUpload(address) ? address : undefined}
      mode={image === 'logo-dark' ? 'dark' : 'light'}
      limits={LIMITS}
      upload={upload}
      remove={remove}
      disabled={!canChange}
    />
  )
}
