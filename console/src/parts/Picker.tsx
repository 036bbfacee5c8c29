import { lazy, Suspense, useState } from 'react'
import { Field } from './Form.tsx'
import { useNames } from './names.ts'
import type { Picked, Source } from './sources.ts'

const PickerBox = lazy(() => import('./PickerBox.tsx'))

type FieldProps = {
  name: string
  label: string
  hint?: string
  source: Source
  isOptional?: boolean
  placeholder?: string
  onPick?: (picked: Picked | null) => void
}

/** A field of a form whose value is the id of what was picked by a search. */
export function PickerField({ source, onPick, placeholder, ...props }: FieldProps) {
  const [picked, setPicked] = useState<Picked | null>(null)
  return (
    <Field {...props}>
      {(control) => (
        <Suspense fallback={<input id={control.id} disabled />}>
          <PickerBox
            {...control}
            source={source}
            {...(placeholder !== undefined && { placeholder })}
            value={picked}
            isRequired={props.isOptional !== true}
            onChange={(next) => {
              setPicked(next)
              onPick?.(next)
            }}
          />
        </Suspense>
      )}
    </Field>
  )
}

type FilterProps = {
  id: string
  source: Source
  value: string
  onChange: (id: string) => void
  /** While nothing is picked. */
  placeholder?: string
  'aria-invalid'?: boolean
  'aria-describedby'?: string | undefined
}

/** A filter by an id, which is shown as the name that it has. */
export function PickerFilter({ value, onChange, ...props }: FilterProps) {
  const names = useNames([value])
  const shown = value === '' ? null : { id: value, name: names.of(value)?.name ?? value.slice(0, 8) }
  return (
    <Suspense fallback={<input id={props.id} disabled />}>
      <PickerBox {...props} value={shown} onChange={(next) => onChange(next?.id ?? '')} />
    </Suspense>
  )
}
