/** @jsxImportSource preact */
import { marginPct } from '~/domain/price/cost.ts'
import { Sparkline } from '~/portal/sparkline.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { HeldPoint } from '~/service/held-series.ts'

/** Days below which there is no line to draw. */
const KNOWN_MIN = 2
const BPS_PER_PERCENT = 100
const PLOT = { width: 1000, height: 80 }

/** What the best exchange rate cost day by day, as a line; nothing where too few days are known. */
export function CostHistory({ points }: { readonly points: readonly HeldPoint[] }) {
  const { say, percentText } = useWords()
  const costs = points.map(({ mid, standing }) =>
    mid === null || standing === null ? null : marginPct(standing, mid),
  )
  const known = costs.filter((cost) => cost !== null)
  if (known.length < KNOWN_MIN) return null
  const label = say('send.moved', {
    low: percentText(Math.min(...known) * BPS_PER_PERCENT),
    high: percentText(Math.max(...known) * BPS_PER_PERCENT),
    ...{ known: known.length, all: costs.length },
  })
  return (
    <section class="stack-tight cost-history" aria-labelledby="moved-title">
      <h2 id="moved-title">{say('send.moved-title')}</h2>
      <Sparkline mid={[]} best={costs} label={label} {...PLOT} />
      <p class="muted small">{label}</p>
    </section>
  )
}
