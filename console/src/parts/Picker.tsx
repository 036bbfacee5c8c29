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
  onPick?: (picked: Picked | null) => void
}

/** A field of a form whose value is the id of what was picked by a search. */
export function PickerField({ source, onPick, ...props }: FieldProps) {
  const [picked, setPicked] = useState<Picked | null>(null)
  return (
    <Field {...props}>
      {(control) => (
        <Suspense fallback={<input id={control.id} disabled />}>
          <PickerBox
            {...control}
            source={source}
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

type FilterProps = { id: string; source: Source; value: string; onChange: (id: string) => void }

/** A filter by an id, which is shown as the name that it has. */
export function PickerFilter({ id, source, value, onChange }: FilterProps) {
  const names = useNames([value])
  const shown = value === '' ? null : { id: value, name: names.of(value)?.name ?? value.slice(0, 8) }
  return (
    <Suspense fallback={<input id={id} disabled />}>
      <PickerBox id={id} source={source} value={shown} onChange={(next) => onChange(next?.id ?? '')} />
    </Suspense>
  )
}
