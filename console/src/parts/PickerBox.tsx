import { Combobox } from '@base-ui/react/combobox'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { texts } from '../texts/texts.ts'
import { messageOf } from './Failed.tsx'
import type { Picked, Source } from './sources.ts'
import './Menu.css'
import './choice-row.css'
import './PickerBox.css'

/** 200 ms: the server is asked after the last key. */
const PAUSE = 200

type Props = {
  id: string
  source: Source
  value: Picked | null
  onChange: (picked: Picked | null) => void
  /** The name of the field in its form; its value is the id. */
  name?: string
  isRequired?: boolean
  placeholder?: string
  'aria-invalid'?: boolean
  'aria-describedby'?: string | undefined
}

/** A text field with choices that the server finds by the text. */
export default function PickerBox({
  id,
  source,
  value,
  onChange,
  name,
  isRequired = false,
  placeholder = texts.parts.pick,
  ...aria
}: Props) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState(value?.name ?? '')
  const search = useLater(text === value?.name ? '' : text.trim())
  const found = useQuery({
    queryKey: [...source.key, search],
    queryFn: () => source.read(search),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const valueName = value?.name ?? ''
  useEffect(() => setText(valueName), [valueName])
  return (
    <Combobox.Root
      items={found.data ?? []}
      filter={null}
      value={value}
      onValueChange={(next: Picked | null) => onChange(next)}
      inputValue={text}
      onInputValueChange={setText}
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open)
        if (!open) setText(valueName)
      }}
      itemToStringLabel={(item: Picked) => item.name}
      itemToStringValue={(item: Picked) => item.id}
      isItemEqualToValue={(item: Picked, other: Picked) => item.id === other.id}
      required={isRequired}
      {...(name !== undefined && { name })}
    >
      <Combobox.Input id={id} className="picker" placeholder={placeholder} {...aria} />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="positioner">
          <Combobox.Popup className="menu picker-list" aria-busy={found.isFetching}>
            {found.error ? <p className="problem">{messageOf(found.error)}</p> : null}
            <Combobox.Empty className="picker-empty">
              {found.isPending ? texts.parts.searching : texts.parts.pickNone}
            </Combobox.Empty>
            <Combobox.List>
              {(item: Picked) => (
                <Combobox.Item key={item.id} value={item}>
                  {item.name}
                  {item.detail && item.detail !== item.name && <span className="below">{item.detail}</span>}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

/** A value when it has not changed for a moment. */
function useLater(value: string): string {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), PAUSE)
    return () => clearTimeout(timer)
  }, [value])
  return later
}
