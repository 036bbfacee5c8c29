import { useId, useState } from 'react'
import { fill, texts } from '../../texts/texts.ts'
import { FormProblem } from '../Failed.tsx'
import '../Form.css'
import './ImageUpload.css'
import { type ImageLimits, pngOf } from './png.ts'

type Action<T> = { mutate: (given: T) => void; isPending: boolean; error: unknown }

type Props = {
  label: string
  hint?: string
  /** Of the present image. */
  address: string | undefined
  /** The background on which it is shown. */
  mode: 'light' | 'dark'
  limits: ImageLimits
  upload: Action<Uint8Array<ArrayBuffer>>
  remove: Action<void>
  disabled: boolean
}

/** An image with the buttons to replace and to remove it. */
export function ImageUpload({ label, hint, address, mode, limits, upload, remove, disabled }: Props) {
  const id = useId()
  const t = texts.images
  const [fault, setFault] = useState<string>()
  const choose = async (file: File) => {
    setFault(undefined)
    try {
      upload.mutate(await pngOf(file, limits))
    } catch {
      setFault(t.unreadable)
    }
  }
  const error = upload.error ?? remove.error
  return (
    <div className="image-upload">
      <span className="image-shown" data-mode={mode}>
        {address ? <img src={address} alt={label} /> : <span className="muted">{t.none}</span>}
      </span>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        {hint && <p className="hint">{hint}</p>}
        {!disabled && (
          <div className="image-actions">
            <input
              id={id}
              type="file"
              accept="image/*"
              aria-describedby={fault && `${id}-fault`}
              aria-invalid={fault !== undefined}
              onChange={({ target }) => {
                const file = target.files?.[0]
                target.value = '' // the same file can be chosen again
                if (file && !upload.isPending) void choose(file)
              }}
            />
            {address && (
              <button
                type="button"
                aria-label={fill(t.removeOf, { name: label })}
                onClick={() => !remove.isPending && remove.mutate()}
              >
                {texts.parts.remove}
              </button>
            )}
          </div>
        )}
        {fault && (
          <p id={`${id}-fault`} className="fault">
            {fault}
          </p>
        )}
        <FormProblem error={error} />
      </div>
    </div>
  )
}
