/** @jsxImportSource preact */
import { heldMsOf } from '~/portal/board/chart-period.ts'
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
  <Part id="design" title="What the figures measure">
    <p>
      The mid measures what two currencies are worth in each other. The other figures measure what
      providers take for an exchange or a transfer at that time. None of them is an offer, and no
      contract should be settled by one alone. The headings below follow the Principles for
      Financial Benchmarks of IOSCO, the organisation of securities commissions. They are an order
      for this text: we claim no compliance, and nobody has audited it.
    </p>
  </Part>
)

const Sufficiency = () => (
  <Part id="sufficiency" title="Sufficiency of data">
    <p>
      A figure is shown only if there is data for it. Where a price, a fee or a mid is missing or
      too old, the figure is left out; none is estimated from other corridors or other days.
    </p>
  </Part>
)

const Order = () => (
  <Part id="order" title="The order of sources">
    <p>The mid of a currency comes from the first of these that there is:</p>
    <ol class="bullets">
      <li>A fixed rate, for a currency that has one.</li>
      <li>The value on which independent feeds agree.</li>
      <li>The value of the first feed in the order that this service has set, marked “single”.</li>
      <li>If feeds disagree, the first of them that did not jump, marked “disputed”.</li>
    </ol>
    <p>
      Two feeds agree if they are within 2% of each other, and their mean counts. Of three or more,
      the median counts. Feeds that copy one source count once. Prices of providers never enter a
      mid.
    </p>
  </Part>
)

const Determinations = ({ suspectPct }: { suspectPct: number | null }) => (
  <Part id="outliers" title="Outliers and judgement">
    <p>
      No person sets a figure, and rules decide what is left out. A feed that is further from the
      median of the others than 5%, or than ten median absolute deviations if that is more, is not
      used. A value that jumps is held back until a second source, or the next request, confirms it.
      If many currencies of one feed jump at once, an operator has to confirm them.
    </p>
    {suspectPct !== null && (
      <p>
        A suspect price, as defined under “best”, stays in the list and in the history with that
        mark. It is never hidden or changed.
      </p>
    )}
  </Part>
)

const Corrections = () => (
  <Part id="corrections" title="Corrections and restatements">
    <p>
      Nothing that was recorded is ever changed. The sender of a price corrects it by recording
      another one for the same time, which then counts; the earlier one stays in the history, marked
      as superseded. Senders can withdraw what they recorded themselves, providers their own prices,
      and operators any price, always with a reason. Withdrawn prices can be listed with time and
      reason. Mids are corrected in the same way, by a newer value for the same time.
    </p>
    <p>
      Figures of the past, such as averages and charts, are calculated from what counts today, so a
      correction restates them. Each recorded price says when it became known (
      <code>recorded_at</code>). With <code>known_at</code> the API returns what it would have
      returned at any earlier time, before later corrections. The file of a day stays as it was
      first made; after a correction there is a second edition beside it.
    </p>
  </Part>
)

const Changes = () => (
  <Part id="changes" title="Review and changes of this text">
    <p>
      We review the rules when a correction or a complaint shows a weakness. A change of a rule
      comes with a new version of this page. Earlier versions stay available below, unchanged.
    </p>
  </Part>
)

const Complaints = () => (
  <Part id="complaints" title="Complaints">
    <p>
      If you think that a figure is wrong, tell whoever runs this service. Give the address of the
      page or the request, and its time; with both, the figure and its sources can be looked up
      again. A provider can record a corrected price, or ask for a withdrawal. Every correction is
      visible in the history, with the account that made it on record.
    </p>
  </Part>
)
