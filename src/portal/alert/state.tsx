/** @jsxImportSource preact */
import type { Alert, AlertStatus } from '~/domain/alert/alert.ts'

const WORDS: Readonly<Record<AlertStatus, string>> = {
  active: 'on',
  paused: 'paused',
  ended: 'ended',
  failing: 'failing',
}

const LOOKS: Readonly<Record<AlertStatus, string>> = {
  active: 'tag tag-good',
  paused: 'tag',
  ended: 'tag',
  failing: 'tag tag-warn',
}

/** Whether an alert is on, and why not. */
export const State = ({ alert: { status, reason, standing } }: { alert: Alert }) => (
  <div>
    <span class={LOOKS[status]}>{WORDS[status]}</span>
    {status === 'active' && standing.isTrue && ' true now'}
    {reason !== null && <span class="row-note">{reason}</span>}
  </div>
)
