/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { momentText } from '~/portal/format.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { rotateSecret } from '~/service/alert/rotate.ts'
import { alertHref } from './path.ts'
import { alertTitle } from './words.ts'

type NewSecret = { readonly alert: Alert; readonly secret: string }

type Shown = NewSecret & { readonly title: string; readonly lead: string }

/** The only page that shows the secret of an alert: it is in this reply and nowhere else. */
const secretPage = ({ title, lead, alert, secret }: Shown): Page => ({
  title,
  path: PATHS.developer,
  scripts: ['copy'],
  body: (
    <div class="stack-tight narrow">
      <h1>{title}</h1>
      <p>
        <strong>{alertTitle(alert)}</strong>
      </p>
      <p class="lead">{lead}</p>
      <CopyBox id="new-secret" label="the secret" text={secret} />
      <Notice kind="warn">
        You will not see it again. Copy it now to where your server keeps secrets.
      </Notice>
      <p>
        Each call is signed with it as Standard Webhooks has it: the headers <code>webhook-id</code>
        , <code>webhook-timestamp</code> and <code>webhook-signature</code>. A library of that name
        checks all three in one line. Answer with any 2xx status within 15 seconds, and look out for
        a <code>webhook-id</code> that comes twice: a call whose answer was lost is made again.
      </p>
      <p>
        <a class="button" href={alertHref(PATHS.alert, alert)}>
          I have copied it
        </a>
      </p>
    </div>
  ),
})

const WAITS = ' Its condition is true already, so it waits until that was false once.'

export const newSecretPage = ({ alert, secret }: NewSecret): Page =>
  secretPage({
    alert,
    secret,
    title: 'The secret of your alert',
    lead: `Your server recognises by it that a call is ours.${alert.standing.isTrue ? WAITS : ''}`,
  })

type Rotated = Awaited<ReturnType<typeof rotateSecret>>

export const rotatedSecretPage = ({ alert, secret, oldEndsMs }: Rotated): Page =>
  secretPage({
    alert,
    secret,
    title: 'The new secret of your alert',
    lead: `It signs from now on. The old one signs beside it until ${momentText(oldEndsMs)}.`,
  })
