import type { ComponentChildren } from 'preact'
import { mayIngest, type Plan, tierOf } from '~/domain/quota.ts'
import { Moment } from '~/portal/moment.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { OwnUsage } from '~/service/own-usage.ts'
import type { Person } from './page-request.tsx'

type Figure = { label: string; figure: ComponentChildren; note: ComponentChildren }

const Card = ({ label, figure, note }: Figure) => (
  <div class="card">
    <p class="figure-label">{label}</p>
    <p class="figure">{figure}</p>
    <p class="figure-note">{note}</p>
  </div>
)

type Props = {
  readonly usage: OwnUsage
  readonly person: Person
  readonly limits: Readonly<Record<Plan, number>>
  readonly nowMs: number
}

/** The remaining quota of today, and the limits of an account's plan and role. */
export function Quota({ usage: { quota }, person: { account }, limits, nowMs }: Props) {
  const { say, spanText } = useWords()
  const tier = tierOf(account.plan)
  const { limit, used, remaining, resetMs } = quota
  const { role } = account
  return (
    <section class="stack-tight" aria-labelledby="quota-title">
      <h2 id="quota-title">{say('developer.today')}</h2>
      <div class="cards">
        <Card
          label={say('developer.left')}
          figure={remaining}
          note={say('developer.left-of', { limit, used })}
        />
        <Card
          label={say('developer.resets')}
          figure={spanText(resetMs - nowMs)}
          note={<Moment ms={resetMs} />}
        />
        <Card
          label={say('developer.plan')}
          figure={say(`plan.${account.plan}`)}
          note={say(mayIngest(role) ? 'developer.records' : 'developer.reads', { role })}
        />
        <Card
          label={say('developer.freshness')}
          figure={say(`developer.${tier}`)}
          note={say(`developer.${tier}-why`)}
        />
      </div>
      <p class="muted small">{say('developer.plans', limits)}</p>
    </section>
  )
}
