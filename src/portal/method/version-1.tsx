/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import type { Currency } from '~/domain/currency.ts'
import { RANGE_FACTOR } from '~/domain/offer/band.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { heldMsOf } from '~/portal/board/chart-period.ts'
import { KINDS, STANDING } from '~/portal/board/kinds.ts'
import { plainAmountText, spanText } from '~/portal/format.ts'
import type { Credit } from '~/portal/frame.tsx'

/** Facts in the text of a version: the rules of this service, its data and its sources. */
export type MethodFacts = {
  readonly ageLimits: AgeLimits
  readonly currencies: readonly Currency[]
  readonly credits: readonly Credit[]
}

/** The first version: what each figure means. */
export const VersionOne = ({ ageLimits, currencies, credits }: MethodFacts) => (
  <>
    <Best suspectPct={ageLimits.quoteSuspectPct ?? null} />
    <Arrives />
    <Ages {...ageLimits} />
    <Cost />
    <Costs />
    <Mid midMaxAgeMs={ageLimits.midMaxAgeMs} />
    <Pegs currencies={currencies} />
    <Kinds />
    <Evidence />
    <Chart heldMs={heldMsOf(ageLimits)} />
    <Sources credits={credits} />
  </>
)

export const Part = ({
  id,
  title,
  children,
}: {
  id: string
  title: string
  children: Children
}) => (
  <section class="stack-tight" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

type Children = ComponentChildren

export const Best = ({ suspectPct }: { suspectPct: number | null }) => (
  <Part id="best" title="What “best” means">
    <p>
      The best price is the one at which the recipient gets the most for your amount, once the fee
      is paid. It is a current price, and the provider says what its fee is. Only prices at which
      money can be sent take part: retail, peer to peer and interbank. Official and parallel rates
      are shown for comparison and are never the best. Between equal prices the newer one comes
      first.
    </p>
    <p>
      A price for other amounts says little about yours. One whose nearest amount is more than{' '}
      {RANGE_FACTOR} times yours, or less than one part in {RANGE_FACTOR} of it, is never the best,
      and no net amount or cost is shown for it. Closer ones are compared at the amounts they are
      for, where their fees are known.
    </p>
    {suspectPct !== null && (
      <p>
        A rate more than {plainAmountText(suspectPct)}% above the mid of its day, or less than half
        of it, is hard to believe. It is marked as suspect, comes last, and never leads. Averages of
        a pair of countries count it, as the survey does, and are also given without it.
      </p>
    )}
    <p>
      If you ask what they receive, the best price is the one that takes the least from you for it.
    </p>
    <p>No provider pays for a place in the list.</p>
  </Part>
)

export const Arrives = () => (
  <Part id="arrives" title="What the recipient gets">
    <p>The amount you send times the provider's rate, less its fee.</p>
    <ul class="bullets">
      <li>A fee in the currency you send is taken at the provider's own rate.</li>
      <li>A fee in the currency that arrives is taken off as it is.</li>
      <li>
        A fee in a third currency is converted at the mid-market rate. If there is none, nobody
        knows what arrives, and the page says so.
      </li>
      <li>
        A fee that the provider does not state is unknown, which is not the same as no fee. The
        amount is then shown before any fee, and the price never leads.
      </li>
    </ul>
  </Part>
)

export const Costs = () => (
  <Part id="costs" title="What a pair of countries costs">
    <p>
      The page of a pair holds its prices against the goal of the United Nations: by 2030, sending
      money is to cost no more than 3% on average (goal 10.c). Only offers that name both countries
      count, each once, at your amount or the nearest that it is for.
    </p>
    <p>
      Beside the average stands what somebody pays who knows the market: the mean of the three
      cheapest offers that arrive within five days, which the World Bank calls the Smart Remitter
      Target (SmaRT). An offer that does not say how fast it is counts. Whether people can get at an
      offer, by a branch nearby or an account, is not checked here.
    </p>
  </Part>
)

export const Ages = ({ staleAfterMs, quoteMaxAgeMs }: AgeLimits) => (
  <Part id="age" title="Current and older prices">
    <p>
      {staleAfterMs === null
        ? 'A price counts as current until its provider gives another.'
        : `A price counts as current for ${spanText(staleAfterMs)} after it was seen. Older ones ` +
          'may no longer hold: they stand in a list of their own and never lead.'}
      {quoteMaxAgeMs !== null &&
        ` A price older than ${spanText(quoteMaxAgeMs)} is not shown at all.`}{' '}
      Tap an age to see the exact time.
    </p>
  </Part>
)

export const Cost = () => (
  <Part id="cost" title="Margin, fee and total cost">
    <p>
      Each price is compared with the mid-market rate of its own day, not with today's. Otherwise a
      fair price of last month would look dear or cheap only because the market has moved since.
    </p>
    <dl class="terms">
      <div>
        <dt>Margin</dt>
        <dd>
          How far the rate lies below the mid of its day, in percent: (1 − rate ÷ mid) × 100. It is
          below zero where a provider beats the mid.
        </dd>
      </div>
      <div>
        <dt>Fee</dt>
        <dd>
          In percent of the amount you send. A fee in another currency is converted at the mid of
          that day.
        </dd>
      </div>
      <div>
        <dt>Total cost</dt>
        <dd>
          Margin and fee together, in percent and in the currency you send. This is the total cost
          of the World Bank's Remittance Prices Worldwide and of the Sustainable Development Goals,
          indicator 10.c.1, whose targets are 3% on average and at most 5% in any corridor.
        </dd>
      </div>
    </dl>
    <p>
      An example: you send £200 at 171.00 with a fee of £2, and the mid that day was 174.42. The
      margin is 1.96%, the fee 1.00%, the total cost 2.96% or £5.92.
    </p>
    <p>
      “Below best rate” on the list of corridors compares rates alone: how far the rates of a
      corridor lie below its best one of the same kind, on average.
    </p>
  </Part>
)

export const Mid = ({ midMaxAgeMs }: { midMaxAgeMs: number }) => (
  <Part id="mid" title="The mid-market rate">
    <p>
      The rate halfway between what currencies are bought and sold at, before anybody's margin. It
      comes from reference feeds, not from the providers compared here. Each currency has its newest
      rate against the US dollar; the mid of a pair is one divided by the other, and it is as old as
      the older of the two. A rate older than {spanText(midMaxAgeMs)} is too old to compare with, so
      no mid is shown then.
    </p>
    <p>
      Where several independent feeds agree on a rate, their median counts. Where one feed alone has
      a rate, or feeds disagree, the pages say <em>single</em> or <em>disputed</em>. Agreement makes
      a mistake less likely and does not rule it out: feeds may take over the same wrong figure.
      Some feeds collect the official rates of central banks. For a currency with controls these are
      not the rates at which people can change money.
    </p>
  </Part>
)

export function Pegs({ currencies }: { currencies: readonly Currency[] }) {
  const pegged = currencies.flatMap(({ code, peg }) => (peg ? [{ code, ...peg }] : []))
  if (pegged.length === 0) return null
  return (
    <Part id="pegs" title="Fixed rates">
      <p>
        Some currencies have a fixed rate to another one. Their mid follows from that rate, and what
        feeds say of them is only compared with it.
      </p>
      <ul class="bullets">
        {pegged.map(({ code, to, rate }) => (
          <li key={code}>
            1 {to} = {plainAmountText(rate)} {code}
          </li>
        ))}
      </ul>
    </Part>
  )
}

export const Kinds = () => (
  <Part id="kinds" title="Kinds of price">
    <dl class="terms">
      {KINDS.map(({ title, note }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{note}</dd>
        </div>
      ))}
    </dl>
  </Part>
)

export const Evidence = () => (
  <Part id="evidence" title="What stands behind a price">
    <p>
      A price was seen as the provider gave it, unless something else is written beside it: “
      {STANDING.derived}”, or “{STANDING.indicative}”.
    </p>
  </Part>
)

export const Chart = ({ heldMs }: { heldMs: number | null }) => (
  <Part id="chart" title="The chart">
    <p>
      It draws what held. Each step is one day, or one hour over the shortest period: the mid known
      at its end, and the best rate that stood then, before fees. A price stands until its provider
      gives another{heldMs !== null && `, and for ${spanText(heldMs)} at most`}; where none stands,
      no line is drawn. The mid is dashed where it is more than a day old. A candle shows how the
      mid moved in a day: from its lowest to its highest value, and from the first to the last. The
      same figures are there as a table and as a file.
    </p>
  </Part>
)

export const Sources = ({ credits }: { credits: readonly Credit[] }) => (
  <Part id="sources" title="Sources and licences">
    {credits.length > 0 ? (
      <ul class="bullets">
        {credits.map(({ text, url, licence }) => (
          <li key={text}>
            {url ? <a href={url}>{text}</a> : text}
            {licence && `. Licence: ${licence}`}
          </li>
        ))}
      </ul>
    ) : (
      <p>The prices were entered by whoever runs this service.</p>
    )}
  </Part>
)
