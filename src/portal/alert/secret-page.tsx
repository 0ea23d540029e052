import type { Alert } from '~/domain/alert/alert.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import type { rotateSecret } from '~/service/alert/rotate.ts'
import { alertHref } from './path.ts'
import { alertTitle } from './words.ts'

type NewSecret = { readonly alert: Alert; readonly secret: string }

type Shown = NewSecret & {
  readonly words: Words
  readonly title: string
  readonly lead: string
}

/** The only page that shows the secret of an alert: it is in this reply and nowhere else. */
const secretPage = ({ words, title, lead, alert, secret }: Shown): Page =>
  narrowPage({
    title,
    path: PATHS.developer,
    children: (
      <>
        <p>
          <strong>{alertTitle(words, alert)}</strong>
        </p>
        <p class="lead">{lead}</p>
        <CopyBox id="new-secret" label={words.say('secret.label')} text={secret} />
        <Notice kind="warn">{words.say('secret.once')}</Notice>
        <p>
          {words.rich('secret.how', {
            id: <code>webhook-id</code>,
            timestamp: <code>webhook-timestamp</code>,
            signature: <code>webhook-signature</code>,
          })}
        </p>
        <p>
          <a class="button" href={alertHref(PATHS.alert, alert)}>
            {words.say('secret.copied')}
          </a>
        </p>
      </>
    ),
  })

export const newSecretPage = (words: Words, { alert, secret }: NewSecret): Page =>
  secretPage({
    words,
    alert,
    secret,
    title: words.say('secret.title'),
    lead: words.say(alert.standing.isTrue ? 'secret.lead-true' : 'secret.lead'),
  })

type Rotated = Awaited<ReturnType<typeof rotateSecret>>

export const rotatedSecretPage = (words: Words, { alert, secret, oldEndsMs }: Rotated): Page =>
  secretPage({
    words,
    alert,
    secret,
    title: words.say('secret.new-title'),
    lead: words.say('secret.new-lead', { moment: words.momentText(oldEndsMs) }),
  })
