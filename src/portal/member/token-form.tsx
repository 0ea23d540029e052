import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { TOKEN_FIELD } from './own-form.ts'

const Token = createContext('')

/** Provides the forms of a page with the token that ties them to the person whose page it is. */
export const Tokened = Token.Provider

type Props = {
  action: string
  send: ComponentChildren
  isDangerous?: boolean
  hidden?: Readonly<Record<string, string>>
  children?: ComponentChildren
  isInRow?: boolean
  hasFile?: boolean
  look?: 'button' | 'button button-quiet'
  /** Set for a form sent with the response of a passkey, which a script shows. */
  passkey?: 'create' | 'get'
  after?: ComponentChildren
}

/** A form that changes something, with the token of its page. */
export function TokenForm(props: Props) {
  const { action, send, isDangerous, hidden = {}, children, isInRow, hasFile, passkey } = props
  const look = isDangerous ? 'button button-danger' : (props.look ?? 'button')
  return (
    <form
      method="post"
      action={action}
      class={isInRow ? 'form-row' : 'stack-tight'}
      enctype={hasFile ? 'multipart/form-data' : undefined}
      data-passkey={passkey}
      hidden={passkey !== undefined}
    >
      <input type="hidden" name={TOKEN_FIELD} value={useContext(Token)} />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <div>
        <button type="submit" class={look}>
          {send}
        </button>
      </div>
      {props.after}
    </form>
  )
}
