import type { ComponentChildren } from 'preact'
import { useWords } from './words/spoken.tsx'

type Described = {
  /** The name of the value sent, and the id. */
  name: string
  label: string
  error?: string | undefined
  hint?: string | undefined
}

type FieldProps = Described & {
  value?: string | undefined
  type?: 'text' | 'email' | 'password' | 'date'
  isRequired?: boolean
  /** Attributes that describe the value to the browser. */
  input?: {
    autocomplete?: string
    inputMode?: 'decimal' | 'email' | 'numeric'
    maxLength?: number
    minLength?: number
    spellcheck?: boolean
    list?: string
  }
  /** The path of a picture before the value. */
  icon?: string | null
}

export function Field({ type = 'text', value, isRequired, input, icon, ...field }: FieldProps) {
  // Preact's types distinguish inputs by their type; these take the same attributes.
  const attributes = { ...input, ...describedBy(field), type: type as 'text' }
  return (
    <Labelled {...field}>
      {icon && <img class="field-icon" src={icon} alt="" width="20" height="15" />}
      <input {...attributes} value={value} required={isRequired} />
    </Labelled>
  )
}

type Option = {
  readonly value: string
  readonly text: string
  /** The other fields that it needs, for styles that show these. */
  readonly needs?: readonly string[]
}

type SelectProps = Described & {
  value: string
  options: readonly Option[]
  isOptional?: boolean
}

/** A choice of one option; an unknown value shows the first, which asks for a choice. */
export function Select({ value, options, isOptional, ...field }: SelectProps) {
  const { say } = useWords()
  const isKnown = options.some((option) => option.value === value)
  return (
    <Labelled {...field}>
      <select {...describedBy(field)} required={!isOptional}>
        {!isKnown && (
          <option value="" selected>
            {say('form.choose')}
          </option>
        )}
        {options.map((option) => (
          <option
            key={option.value}
            value={option.value}
            selected={option.value === value}
            data-needs={option.needs?.join(' ')}
          >
            {option.text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

function Labelled({
  name,
  label,
  hint,
  error,
  children,
}: Described & { children: ComponentChildren }) {
  return (
    <div class={error ? 'field field-wrong' : 'field'}>
      <label for={name}>{label}</label>
      {children}
      {hint && (
        <p class="field-hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

function describedBy({ name, hint, error }: Described) {
  const ids = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean)
  return {
    id: name,
    name,
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error && { 'aria-invalid': true }),
  }
}
