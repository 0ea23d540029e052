import type { Alert, AlertStatus } from '~/domain/alert/alert.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import { reasonText } from './words.ts'

const LOOKS: Readonly<Record<AlertStatus, string>> = {
  active: 'tag tag-good',
  paused: 'tag',
  ended: 'tag',
  failing: 'tag tag-warn',
}

/** Reports whether an alert is on, and why not. */
export function State({ alert: { status, reason, standing } }: { alert: Alert }) {
  const { words, say } = useWords()
  return (
    <div>
      <span class={LOOKS[status]}>{say(`alert-status.${status}`)}</span>
      {status === 'active' && standing.isTrue && ` ${say('alert.true-now')}`}
      {reason !== null && <span class="row-note">{reasonText(words, reason)}</span>}
    </div>
  )
}
