import { heldMsOf } from '~/portal/board/chart-period.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import {
  Ages,
  Arrives,
  Best,
  Chart,
  Cost,
  Costs,
  Evidence,
  Kinds,
  type MethodFacts,
  Mid,
  Part,
  Pegs,
  Said,
  Sources,
} from './version-1.tsx'

/**
 * The second version: the first one, ordered by the headings of IOSCO's Principles for Financial
 * Benchmarks, with the order of sources, outliers, corrections, changes and complaints.
 */
export const VersionTwo = ({ ageLimits, currencies, credits }: MethodFacts) => (
  <>
    <Part id="design" said={['method-design.text']} />
    <Best suspectPct={ageLimits.quoteSuspectPct ?? null} />
    <Arrives />
    <Cost />
    <Costs />
    <Chart heldMs={heldMsOf(ageLimits)} />
    <Part id="sufficiency" said={['method-sufficiency.text']} />
    <Ages {...ageLimits} />
    <Kinds />
    <Mid midMaxAgeMs={ageLimits.midMaxAgeMs} />
    <Order />
    <Pegs currencies={currencies} />
    <Determinations suspectPct={ageLimits.quoteSuspectPct ?? null} />
    <Evidence />
    <Part id="corrections" said={['method-corrections.prices', 'method-corrections.past']} />
    <Part id="changes" said={['method-changes.text']} />
    <Part id="complaints" said={['method-complaints.text']} />
    <Sources credits={credits} />
  </>
)

function Order() {
  const { say } = useWords()
  return (
    <Part id="order" said={['method-order.lead']}>
      <ol class="bullets">
        <li>{say('method-order.fixed')}</li>
        <li>{say('method-order.agreed')}</li>
        <li>{say('method-order.first')}</li>
        <li>{say('method-order.disputed')}</li>
      </ol>
      <Said of="method-order.rules" />
    </Part>
  )
}

const Determinations = ({ suspectPct }: { suspectPct: number | null }) => (
  <Part id="outliers" said={['method-outliers.text']}>
    {suspectPct !== null && <Said of="method-outliers.suspect" />}
  </Part>
)
