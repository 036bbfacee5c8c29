import { useEffect, useState } from 'react'
import { fill, texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import { Menu, MenuItem } from './Menu.tsx'
import { PickerFilter } from './Picker.tsx'
import { type ParameterName, usePageSearch } from './search.ts'
import type { Source } from './sources.ts'
import './search.css'
import './Filters.css'

/** A filter of a list, by the name of the parameter of the address and of the operation. */
export type Filter = {
  name: ParameterName
  title: string
  /** The names of the options by value; without options a text is entered. */
  options?: Record<string, string>
  /** What is shown while none is chosen. */
  any?: string
  /** Options by group. */
  groups?: Record<string, Record<string, string>>
  /** The value is the id of what is picked by a search. */
  source?: Source
  /** The type of the field in which a text is entered. */
  type?: 'text' | 'datetime-local'
  /**
   * Marks a time from which on the filter selects, and names the filter until when. The last hour, day,
   * week and month can be chosen.
   */
  end?: ParameterName
  /** Shown when it is set, or chosen from the menu of further filters. */
  isExtra?: boolean
}

/** 250 ms: the list is read after the last key. */
const PAUSE = 250

/** The search field of a list. */
export function SearchField({ label }: { label: string }) {
  const { text, set } = usePageSearch()
  const shown = text('search')
  const [value, setValue] = useState(shown)
  useEffect(() => setValue(shown), [shown])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `set` is made anew at each rendering
  useEffect(() => {
    if (value === shown) return
    const timer = setTimeout(() => set({ search: value || undefined }, { replace: true }), PAUSE)
    return () => clearTimeout(timer)
  }, [value, shown])
  return (
    <span className="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        data-shortcut="/"
        onChange={(event) => setValue(event.target.value)}
      />
    </span>
  )
}

const isoOf = (local: string): string => (local ? new Date(local).toISOString() : '')

function localOf(iso: string): string {
  if (!iso) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The filters of a list. One that is set is marked, and removed with its button. */
export function Filters({ filters }: { filters: readonly Filter[] }) {
  const { text } = usePageSearch()
  const [added, setAdded] = useState<readonly string[]>([])
  const isShown = ({ name, isExtra }: Filter) => !isExtra || text(name) !== '' || added.includes(name)
  const hidden = filters.filter((filter) => !isShown(filter))
  return (
    <>
      {filters.filter(isShown).map((filter) => (
        <OneFilter key={filter.name} filter={filter} />
      ))}
      {hidden.length > 0 && (
        <Menu
          trigger={
            <button type="button" className="quiet">
              <Icon name="plus" />
              {texts.parts.addFilter}
            </button>
          }
        >
          {hidden.map(({ name, title }) => (
            <MenuItem key={name} onClick={() => setAdded([...added, name])}>
              {title}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  )
}

function OneFilter({ filter }: { filter: Filter }) {
  const { text, set } = usePageSearch()
  const { name, title } = filter
  const value = text(name)
  const change = (next: string) => set({ [name]: next || undefined }, { replace: true })
  return (
    <span className="filter" data-set={value !== '' || undefined}>
      <label htmlFor={`filter-${name}`}>
        <span>{title}</span>
        <FilterControl filter={filter} value={value} change={change} />
      </label>
      {value !== '' && (
        <button
          type="button"
          className="icon-button small"
          aria-label={fill(texts.parts.removeFilter, { name: title })}
          onClick={() => change('')}
        >
          <Icon name="close" />
        </button>
      )}
    </span>
  )
}

type ControlProps = { filter: Filter; value: string; change: (value: string) => void }

function FilterControl({ filter, value, change }: ControlProps) {
  const { name, options = {}, groups = {}, source, type = 'text' } = filter
  const id = `filter-${name}`
  if (source) return <PickerFilter id={id} source={source} value={value} onChange={change} />
  if (filter.options || filter.groups)
    return (
      <select id={id} value={value} onChange={(event) => change(event.target.value)}>
        <option value="">{filter.any ?? texts.parts.any}</option>
        {Object.entries(options).map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
        {Object.entries(groups).map(([group, members]) => (
          <optgroup key={group} label={group}>
            {Object.entries(members).map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    )
  if (type === 'text') return <TextFilter id={id} value={value} change={change} />
  if (filter.end !== undefined) return <SinceFilter {...{ id, name, value, change }} end={filter.end} />
  return <TimeInput id={id} value={value} change={change} />
}

type TimeProps = { id: string; value: string; change: (value: string) => void; onBlur?: () => void }

const TimeInput = ({ id, value, change, onBlur }: TimeProps) => (
  <input
    id={id}
    type="datetime-local"
    value={localOf(value)}
    onChange={(event) => change(isoOf(event.target.value))}
    onBlur={onBlur}
  />
)

/** A time, entered or so long ago as is chosen. */
function SinceFilter({
  id,
  name,
  end,
  value,
  change,
}: TimeProps & { name: ParameterName; end: ParameterName }) {
  const { set } = usePageSearch()
  const [isEntered, setEntered] = useState(false)
  const choose = (chosen: string) => {
    if (chosen === 'time') return setEntered(true)
    const minute = Math.floor(Date.now() / 60_000) * 60_000
    const since = new Date(minute - Number(chosen) * 1_000).toISOString()
    set({ [name]: since, [end]: undefined }, { replace: true })
  }
  if (value !== '' || isEntered) {
    const enter = (next: string) => {
      setEntered(next === '') // the field stays while a part of the time is missing
      change(next)
    }
    return <TimeInput id={id} value={value} change={enter} onBlur={() => setEntered(false)} />
  }
  return (
    <select id={id} value="" onChange={(event) => choose(event.target.value)}>
      <option value="">{texts.parts.any}</option>
      {Object.entries(texts.parts.spans).map(([seconds, label]) => (
        <option key={seconds} value={seconds}>
          {label}
        </option>
      ))}
      <option value="time">{texts.parts.chooseTime}</option>
    </select>
  )
}

/** The list is read when the text is complete: after Enter, or when the field is left. */
function TextFilter({ id, value, change }: { id: string; value: string; change: (value: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <input
      id={id}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => text.trim() !== value && change(text.trim())}
      onKeyDown={(event) => event.key === 'Enter' && change(text.trim())}
    />
  )
}
