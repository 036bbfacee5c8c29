import {
  createContext,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useRef,
} from 'react'
import { faultOf } from '../api/problem.ts'
import { texts } from '../texts/texts.ts'
import { FormProblem } from './Failed.tsx'
import './Form.css'

type State = { error: unknown; isPending: boolean }
/** What a field shows its fault of. */
export const FormState = createContext<State>({ error: null, isPending: false })

type FormProps = {
  children: ReactNode
  onSubmit: (data: FormData) => void
  /** The state of the change that the form makes: its errors are shown at their fields. */
  state: State
  onCancel?: () => void
  danger?: boolean
  ref?: RefObject<HTMLFormElement | null>
  /** Called at each change of a field. */
  onInput?: () => void
} & ({ submit: string; foot?: never } | { submit?: never; foot: ReactNode }) // `foot`: instead of the buttons

/** A form whose fields are read when it is sent. The focus moves to the first one that is refused. */
export function Form({
  children,
  onSubmit,
  state,
  onCancel,
  danger = false,
  ref,
  onInput,
  ...more
}: FormProps) {
  const own = useRef<HTMLFormElement>(null)
  const form = ref ?? own
  useEffect(() => {
    if (state.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [state.error, form])
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!state.isPending) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <FormState value={state}>
      <form ref={form} className="form" onSubmit={send} onInput={onInput} noValidate={false}>
        {more.foot === undefined && <FormProblem error={state.error} />}
        {children}
        {more.foot ?? (
          <div className="dialog-actions">
            {onCancel && (
              <button type="button" onClick={onCancel}>
                {texts.parts.cancel}
              </button>
            )}
            <button
              type="submit"
              className={danger ? 'primary danger' : 'primary'}
              aria-disabled={state.isPending}
            >
              {more.submit}
            </button>
          </div>
        )}
      </form>
    </FormState>
  )
}

/** `name` is the field of the request body: an error at `/name` is shown here. */
type FieldProps = { name: string; label: string; hint?: ReactNode; isOptional?: boolean }

type Control = { id: string; name: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }

/** A label, a control, its hint and its error. */
export function Field({
  name,
  label,
  hint,
  isOptional = false,
  fault: ownFault,
  children,
}: FieldProps & {
  /** What the page itself has found; otherwise what the server has answered. */
  fault?: string | undefined
  children: (control: Control) => ReactNode
}) {
  const id = useId()
  const answered = faultOf(useContext(FormState).error, `/${name}`)
  const fault = ownFault ?? answered
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isOptional && <span className="muted"> ({texts.parts.optional})</span>}
      </label>
      {children({
        id,
        name,
        'aria-invalid': fault !== undefined,
        'aria-describedby': describedBy({ id, hint, fault }),
      })}
      <Notes id={id} hint={hint} fault={fault} />
    </div>
  )
}

type NotesProps = { id: string; hint: ReactNode; fault: string | undefined }

/** The ids of the notes of a control. */
export const describedBy = ({ id, hint, fault }: NotesProps): string | undefined =>
  [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined

/** The hint and the error below a control. */
export const Notes = ({ id, hint, fault }: NotesProps) => (
  <>
    {hint && (
      <p id={`${id}-hint`} className="hint">
        {hint}
      </p>
    )}
    {fault && (
      <p id={`${id}-fault`} className="fault">
        {fault}
      </p>
    )}
  </>
)

type TextProps = FieldProps & {
  value?: string
  type?: 'text' | 'email' | 'url' | 'password' | 'number' | 'date' | 'datetime-local'
  required?: boolean
  lines?: number
  autoFocus?: boolean
  maxLength?: number
  autoComplete?: string
  placeholder?: string
  disabled?: boolean
  /** Called at each change. */
  onChange?: (value: string) => void
  /** In the font of code. */
  isCode?: boolean
}

export const TextField = ({
  value,
  type = 'text',
  required = false,
  lines,
  autoComplete = 'off',
  ...props
}: TextProps) => (
  <Field {...props} isOptional={props.isOptional ?? false}>
    {(control) => {
      const common = {
        ...control,
        defaultValue: value,
        required,
        maxLength: props.maxLength,
        autoComplete,
        placeholder: props.placeholder,
        disabled: props.disabled,
        onChange: ({ target }: { target: { value: string } }) => props.onChange?.(target.value),
      }
      return lines ? (
        <textarea
          {...common}
          // biome-ignore lint/a11y/noAutofocus: the first field of a dialog that the user has opened
          autoFocus={props.autoFocus}
          rows={lines}
          className={props.isCode ? 'code' : undefined}
          spellCheck={!props.isCode}
        />
      ) : (
        // biome-ignore lint/a11y/noAutofocus: the first field of a dialog that the user has opened
        <input {...common} type={type} autoFocus={props.autoFocus} />
      )
    }}
  </Field>
)

type SelectProps = FieldProps & { value?: string; options: Record<string, string> }

export const SelectField = ({ value, options, ...props }: SelectProps) => (
  <Field {...props}>
    {(control) => (
      <select {...control} defaultValue={value}>
        {Object.entries(options).map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

type CheckProps = {
  name: string
  label: string
  hint?: ReactNode
  checked?: boolean
  value?: string
  disabled?: boolean
  /** Called at each change. */
  onChange?: (checked: boolean) => void
}

/** The form data has it only if it is checked. */
export function CheckField({
  name,
  label,
  hint,
  checked = false,
  value = 'true',
  disabled = false,
  onChange,
}: CheckProps) {
  const id = useId()
  const fault = faultOf(useContext(FormState).error, `/${name}`)
  return (
    <div className="check">
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        defaultChecked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange?.(target.checked)}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {fault && <p className="fault">{fault}</p>}
    </div>
  )
}

/** A field of the form as text; undefined if it is empty. */
export const textOf = (data: FormData, name: string): string | undefined =>
  String(data.get(name) ?? '').trim() || undefined
export const isChecked = (data: FormData, name: string): boolean => data.has(name)
