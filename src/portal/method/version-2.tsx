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
    <Design />
    <Best suspectPct={ageLimits.quoteSuspectPct ?? null} />
    <Arrives />
    <Cost />
    <Costs />
    <Chart heldMs={heldMsOf(ageLimits)} />
    <Sufficiency />
    <Ages {...ageLimits} />
    <Kinds />
    <Mid midMaxAgeMs={ageLimits.midMaxAgeMs} />
    <Order />
    <Pegs currencies={currencies} />
    <Determinations suspectPct={ageLimits.quoteSuspectPct ?? null} />
    <Evidence />
    <Corrections />
    <Changes />
    <Complaints />
    <Sources credits={credits} />
  </>
)

const Design = () => (
  <Part id="design">
    <Said of="method-design.text" />
  </Part>
)

const Sufficiency = () => (
  <Part id="sufficiency">
    <Said of="method-sufficiency.text" />
  </Part>
)

function Order() {
  const { say } = useWords()
  return (
    <Part id="order">
      <Said of="method-order.lead" />
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
  <Part id="outliers">
    <Said of="method-outliers.text" />
    {suspectPct !== null && <Said of="method-outliers.suspect" />}
  </Part>
)

const Corrections = () => (
  <Part id="corrections">
    <Said of="method-corrections.prices" />
    <Said of="method-corrections.past" />
  </Part>
)

const Changes = () => (
  <Part id="changes">
    <Said of="method-changes.text" />
  </Part>
)

const Complaints = () => (
  <Part id="complaints">
    <Said of="method-complaints.text" />
  </Part>
)
