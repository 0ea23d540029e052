import type { ComponentChildren } from 'preact'
import type { Currency } from '~/domain/currency.ts'
import { RANGE_FACTOR } from '~/domain/offer/band.ts'
import { RATE_TYPES } from '~/domain/provider.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { heldMsOf } from '~/portal/board/chart-period.ts'
import type { Credit } from '~/portal/frame.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { MessageKey } from '~/portal/words/words.ts'

/** Facts in the text of a version: the rules of this service, its data and its sources. */
export type MethodFacts = {
  readonly ageLimits: AgeLimits
  readonly currencies: readonly Currency[]
  readonly credits: readonly Credit[]
}

/** The first version: the meaning of each metric. */
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

type PartId =
  | ('best' | 'arrives' | 'costs' | 'age' | 'cost' | 'mid' | 'pegs' | 'kinds' | 'evidence')
  | ('chart' | 'sources' | 'design' | 'sufficiency' | 'order' | 'outliers' | 'corrections')
  | ('changes' | 'complaints')

type PartProps = {
  readonly id: PartId
  readonly said?: readonly MessageKey[]
  readonly children?: ComponentChildren
}

/** A part of the text, under its title: paragraphs without values, then whatever else it has. */
export const Part = ({ id, said = [], children }: PartProps) => (
  <section class="stack-tight" aria-labelledby={id}>
    <h2 id={id}>{useWords().say(`method-${id}.title`)}</h2>
    {said.map((of) => (
      <Said key={of} of={of} />
    ))}
    {children}
  </section>
)

type SaidProps = {
  readonly of: MessageKey
  readonly values?: Readonly<Record<string, string | number>>
}

export const Said = ({ of, values }: SaidProps) => (
  <p>
    {useWords().rich(of, {
      em: (parts) => <em>{parts}</em>,
      code: (parts) => <code>{parts}</code>,
      ...values,
    })}
  </p>
)

export function Best({ suspectPct }: { suspectPct: number | null }) {
  const { plainPercentText } = useWords()
  return (
    <Part id="best">
      <Said of="method-best.text" />
      <Said of="method-best.range" values={{ factor: RANGE_FACTOR }} />
      {suspectPct !== null && (
        <Said of="method-best.suspect" values={{ percent: plainPercentText(suspectPct) }} />
      )}
      <Said of="method-best.receive" />
      <Said of="method-best.unpaid" />
    </Part>
  )
}

export function Arrives() {
  const { say } = useWords()
  return (
    <Part id="arrives" said={['method-arrives.text']}>
      <ul class="bullets">
        <li>{say('method-arrives.sent')}</li>
        <li>{say('method-arrives.received')}</li>
        <li>{say('method-arrives.third')}</li>
        <li>{say('method-arrives.unknown')}</li>
      </ul>
    </Part>
  )
}

export const Costs = () => <Part id="costs" said={['method-costs.goal', 'method-costs.smart']} />

export function Ages({ staleAfterMs, quoteMaxAgeMs }: AgeLimits) {
  const { say, spanText } = useWords()
  return (
    <Part id="age">
      <p>
        {staleAfterMs === null
          ? say('method-age.always')
          : say('method-age.current', { span: spanText(staleAfterMs) })}
        {quoteMaxAgeMs !== null &&
          ` ${say('method-age.too-old', { span: spanText(quoteMaxAgeMs) })}`}{' '}
        {say('method-age.tap')}
      </p>
    </Part>
  )
}

export function Cost() {
  const { say } = useWords()
  const terms = [
    [say('method-cost.margin'), say('method-cost.margin-is')],
    [say('table.fee'), say('method-cost.fee-is')],
    [say('table.total-cost'), say('method-cost.total-is')],
  ] as const
  return (
    <Part id="cost" said={['method-cost.day']}>
      <Terms terms={terms} />
      <Said of="method-cost.example" />
      <Said of="method-cost.below-best" />
    </Part>
  )
}

const Terms = ({ terms }: { terms: readonly (readonly [string, string])[] }) => (
  <dl class="terms">
    {terms.map(([term, meaning]) => (
      <div key={term}>
        <dt>{term}</dt>
        <dd>{meaning}</dd>
      </div>
    ))}
  </dl>
)

export const Mid = ({ midMaxAgeMs }: { midMaxAgeMs: number }) => (
  <Part id="mid">
    <Said of="method-mid.text" values={{ span: useWords().spanText(midMaxAgeMs) }} />
    <Said of="method-mid.agree" />
  </Part>
)

export function Pegs({ currencies }: { currencies: readonly Currency[] }) {
  const { plainAmountText } = useWords()
  const pegged = currencies.flatMap(({ code, peg }) => (peg ? [{ code, ...peg }] : []))
  if (pegged.length === 0) return null
  return (
    <Part id="pegs" said={['method-pegs.text']}>
      <ul class="bullets">
        {pegged.map(({ code, to, rate }) => (
          <li key={code}>
            <bdi>
              1 {to} = {plainAmountText(rate)} {code}
            </bdi>
          </li>
        ))}
      </ul>
    </Part>
  )
}

export function Kinds() {
  const { say } = useWords()
  return (
    <Part id="kinds">
      <Terms
        terms={RATE_TYPES.map((type) => [say(`kind.${type}`), say(`kind-note.${type}`)] as const)}
      />
    </Part>
  )
}

export function Evidence() {
  const { say } = useWords()
  const marks = { derived: say('evidence.derived'), indicative: say('evidence.indicative') }
  return (
    <Part id="evidence">
      <Said of="method-evidence.text" values={marks} />
    </Part>
  )
}

export function Chart({ heldMs }: { heldMs: number | null }) {
  const { spanText } = useWords()
  const held =
    heldMs === null ? { held: 'ever', span: '' } : { held: 'span', span: spanText(heldMs) }
  return (
    <Part id="chart">
      <Said of="method-chart.text" values={held} />
    </Part>
  )
}

export function Sources({ credits }: { credits: readonly Credit[] }) {
  const { say } = useWords()
  if (credits.length === 0) return <Part id="sources" said={['method-sources.none']} />
  return (
    <Part id="sources">
      <ul class="bullets">
        {credits.map(({ text, url, licence }) => (
          <li key={text}>
            <bdi lang="en">{url ? <a href={url}>{text}</a> : text}</bdi>
            {licence && say('method-sources.licence', { licence })}
          </li>
        ))}
      </ul>
    </Part>
  )
}
