/** The settings of a page as one form: what has changed is counted and saved at once, or discarded. */
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { usePlace } from '../../api/context.ts'
import { Form } from '../Form.tsx'
import { type Patch, useEdited, useSave } from './editing.tsx'
import { LeaveWarning } from './LeaveWarning.tsx'
import { SaveBar } from './SaveBar.tsx'
import { type SectionLink, SectionLinks } from './SectionLinks.tsx'
import './SettingsForm.css'

type Reader = {
  /** The fields of a section. */
  read: (data: FormData) => Patch
  /** What is stored, of fields that have no default value in the form. */
  stored?: Patch | undefined
}

type Value = { register: (id: string, reader: Reader) => () => void; note: () => void }
const Sections = createContext<Value | null>(null)

/** Tells the form that a field has changed that sends no event, such as a list of fields. */
export const useNote = (): (() => void) => useContext(Sections)?.note ?? (() => {})

type Props = {
  children: ReactNode
  /** Links to the sections, beside them. */
  hasLinks?: boolean
  /** The resource is not changed here. */
  isLocked?: boolean
}

export function SettingsForm({ children, hasLinks = false, isLocked = false }: Props) {
  const { resource, restart } = useEdited()
  const { canChange } = usePlace()
  const save = useSave()
  const { form, changes, links, note, value } = useChanges()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the default values are those of the resource
  useEffect(note, [note, resource])
  const count = Object.keys(changes).length
  const discard = () => {
    restart()
    document.getElementById('page')?.focus({ preventScroll: true }) // the button is gone
  }
  const sections = <Sections value={value}>{children}</Sections>
  return (
    <div className={hasLinks ? 'settings with-links' : 'settings'}>
      {hasLinks && <SectionLinks links={links} />}
      {canChange && !isLocked ? (
        <Form
          ref={form}
          state={save}
          onInput={note}
          onSubmit={() => count > 0 && save.mutate(changes)}
          foot={<SaveBar count={count} save={save} onDiscard={discard} />}
        >
          {sections}
        </Form>
      ) : (
        <fieldset disabled className="form">
          {sections}
        </fieldset>
      )}
      <LeaveWarning count={count} />
    </div>
  )
}

/** Which fields differ from what is stored. */
function useChanges() {
  const form = useRef<HTMLFormElement>(null)
  const readers = useRef(new Map<string, Reader>()).current
  const [changes, setChanges] = useState<Patch>({})
  const [links, setLinks] = useState<readonly SectionLink[]>([])
  const note = useCallback(() => {
    if (!form.current) return
    mark(form.current)
    setChanges(changesOf(form.current, [...readers.values()]))
  }, [readers])
  const value = useMemo((): Value => {
    const register = (id: string, reader: Reader) => {
      readers.set(id, reader)
      setLinks((before) => linksIn(before))
      return () => void readers.delete(id)
    }
    return { register, note }
  }, [readers, note])
  return { form, changes, links, note, value }
}

/** The sections of the page, in their order. */
function linksIn(before: readonly SectionLink[]): readonly SectionLink[] {
  const found = [...document.querySelectorAll<HTMLElement>('.settings section[data-title]')]
  const links = found.map(({ id, dataset }) => ({ id, title: dataset.title ?? '' }))
  return JSON.stringify(links) === JSON.stringify(before) ? before : links
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.querySelectorAll<Control>('input[name], select[name], textarea[name]')].filter(
    ({ disabled }) => !disabled,
  )

/** The default of a control as form data has it; undefined: it is not sent. */
function defaultOf(control: Control): string | undefined {
  if (control instanceof HTMLSelectElement)
    return ([...control.options].find(({ defaultSelected }) => defaultSelected) ?? control.options[0])?.value
  if (control instanceof HTMLTextAreaElement || !['checkbox', 'radio'].includes(control.type))
    return control.defaultValue
  return control.defaultChecked ? control.value : undefined
}

const sentOf = (control: Control): string | undefined =>
  control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type) && !control.checked
    ? undefined
    : control.value

/** Marks the fields that have changed. */
function mark(form: HTMLFormElement): void {
  for (const control of controlsOf(form))
    if (!control.closest('[data-list]'))
      control
        .closest('.field, .check')
        ?.toggleAttribute('data-changed', sentOf(control) !== defaultOf(control))
}

function changesOf(form: HTMLFormElement, readers: readonly Reader[]): Patch {
  const before = new FormData()
  for (const control of controlsOf(form)) {
    const value = defaultOf(control)
    if (value !== undefined) before.append(control.name, value)
  }
  const now = new FormData(form)
  const changed = readers.flatMap(({ read, stored }) => {
    const known: Patch = { ...read(before), ...stored }
    return Object.entries(read(now)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]),
    )
  })
  return Object.fromEntries(changed)
}

type SectionProps = Reader & { title: string; lead?: string; children: ReactNode }

/** A group of settings. */
export function Section({ title, lead, read, stored, children }: SectionProps) {
  const id = useId()
  const sections = useContext(Sections)
  useEffect(() => sections?.register(id, { read, stored }))
  return (
    <section className="panel" id={`section${id}`} data-title={title}>
      <header>
        <h2>{title}</h2>
        {lead && <p className="muted">{lead}</p>}
      </header>
      {children}
    </section>
  )
}
