import type { ComponentChildren } from 'preact'
import { TOKEN_FIELD } from './own-form.ts'
import type { PageRequest } from './page-request.tsx'

type Props = {
  pageRequest: PageRequest
  action: string
  /** The text of the button. */
  send: ComponentChildren
  isDangerous?: boolean
  /** Hidden values to send along. */
  hidden?: Readonly<Record<string, string>>
  children?: ComponentChildren
  isInRow?: boolean
  hasFile?: boolean
  look?: 'button' | 'button button-quiet'
}

/** A form that changes something, with the token that ties it to the person whose page it is on. */
export function TokenForm(props: Props) {
  const { pageRequest, action, send, isDangerous, hidden = {}, children, isInRow, hasFile } = props
  const look = isDangerous ? 'button button-danger' : (props.look ?? 'button')
  return (
    <form
      method="post"
      action={action}
      class={isInRow ? 'form-row' : 'stack-tight'}
      enctype={hasFile ? 'multipart/form-data' : undefined}
    >
      <input type="hidden" name={TOKEN_FIELD} value={pageRequest.formToken} />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <div>
        <button type="submit" class={look}>
          {send}
        </button>
      </div>
    </form>
  )
}
