/** @jsxImportSource preact */
import type { AlertWish } from '~/domain/alert/alert.ts'
import type { View } from '~/memory/view.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { AlertForm } from './alert-form.tsx'
import type { AlertFields } from './fields.ts'
import { Figures } from './figures.tsx'
import { alertHref } from './path.ts'
import { alertTitle, corridorText } from './words.ts'

type Props = {
  readonly pageRequest: PageRequest
  readonly view: View
  readonly fields: AlertFields
  /** Where a mail would go; null if this service sends none. */
  readonly mailTo: string | null
  readonly complaint?: string | undefined
}

const isWrong = ({ fields, complaint }: Props): boolean =>
  complaint !== undefined || Object.keys(fields.faults).length > 0

export const newAlertPage = (props: Props): Page => ({
  title: 'New alert',
  path: PATHS.developer,
  scripts: ['place'],
  status: isWrong(props) ? 400 : 200,
  body: (
    <div class="stack-tight">
      <h1>Tell me when…</h1>
      <p class="lead">
        Say what you wait for. You are told once each time it becomes true, and again only after it
        was untrue.
      </p>
      <Wrong {...props} />
      <Figures view={props.view} fields={props.fields} />
      <AlertForm {...props} action={PATHS.newAlert} send="Make the alert" />
      <p>
        <a href={PATHS.alerts}>Cancel</a>
      </p>
    </div>
  ),
})

type Changing = Props & { readonly alert: AlertWish & { readonly id: string } }

export const changeAlertPage = (props: Changing): Page => ({
  title: `Change ${alertTitle(props.alert)}`,
  path: PATHS.developer,
  status: isWrong(props) ? 400 : 200,
  body: (
    <div class="stack-tight">
      <h1>Change the alert on {corridorText(props.alert)}</h1>
      <p class="lead">
        A new condition is judged from now on: if it is true already, it waits until it was untrue.
      </p>
      <Wrong {...props} />
      <Figures view={props.view} fields={props.fields} />
      <AlertForm
        {...props}
        action={PATHS.changeAlert}
        send="Save"
        hidden={{ id: props.alert.id }}
        isPlaced
      />
      <p>
        <a href={alertHref(PATHS.alert, props.alert)}>Cancel</a>
      </p>
    </div>
  ),
})

function Wrong(props: Props) {
  if (!isWrong(props)) return null
  if (props.complaint !== undefined) return <Notice kind="bad">{props.complaint}</Notice>
  return (
    <Notice kind="bad" title="Please check what you entered">
      What is wrong is written below each field.
    </Notice>
  )
}
