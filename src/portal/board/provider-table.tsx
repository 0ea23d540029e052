import type { Currency } from '~/domain/currency.ts'
import { isFeeStated } from '~/domain/offer/fee.ts'
import { isExecutable, type RateType } from '~/domain/provider.ts'
import { bankDateOf } from '~/domain/source/bank-date.ts'
import { Seen } from '~/portal/moment.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { MessageKey, Words } from '~/portal/words/words.ts'
import type { Conversion } from '~/service/convert.ts'
import { Cost, Fee } from './cost.tsx'
import { standingText } from './kinds.ts'
import { gapsText } from './offer-text.ts'
import { Who } from './who.tsx'

export type Shared = {
  readonly from: Currency
  readonly to: Currency
  /** The best current price, which others are compared with. */
  readonly best: Conversion | null
  /** The mid of now; null without one. */
  readonly mid: { readonly rate: number } | null
  readonly decimals: number
  readonly nowMs: number
  /** Says whether the amount to arrive is given, so that the rows show the amount to send. */
  readonly isToArrive: boolean
  /** Says whether the page is about two countries, which it then names itself. */
  readonly isPair: boolean
  /** The total cost that fills the bar of a row, in percent; null without bars. */
  readonly widestPct: number | null
}

type Props = Shared & {
  readonly kind: RateType
  readonly entries: readonly Conversion[]
  /**
   * Says whether these are older prices, which are in a list of their own below the current ones.
   */
  readonly isOlder?: boolean
}

/** The providers of one kind; those that say a fee have a place among them. */
export function ProviderTable({ kind, entries, isOlder = false, ...shared }: Props) {
  const { words, say } = useWords()
  const titleId = isOlder ? `older-${kind}` : `kind-${kind}`
  const Title = isOlder ? 'h3' : 'h2'
  const standingOf = ({ ranked: { quote, provider } }: Conversion) =>
    standingText(words, quote, provider)
  const common = commonText(entries, standingOf)
  const gaps = commonText(entries, ({ ranked }) => gapsText(words, ranked))
  const isSilent = ({ ranked }: Conversion) => !gaps && ranked.unspecified.length > 0
  return (
    <section class="stack-tight" aria-labelledby={titleId}>
      <div>
        <Title id={titleId}>{say(`kind.${kind}`)}</Title>
        {!isOlder && <p class="muted small">{say(`kind-note.${kind}`)}</p>}
        {common && <p class="muted small">{say('table.each-is', { common })}</p>}
        {gaps && <p class="muted small">{say('table.each-silent', { gaps })}</p>}
      </div>
      <div class="table-frame">
        <table class="table table-cards market-table" aria-labelledby={titleId}>
          <Head kind={kind} {...shared} />
          <tbody>
            {entries.map((entry, i) => (
              <Row
                key={entry.ranked.quote.id}
                {...shared}
                entry={entry}
                place={isOlder || !hasPlace(entry) || isSilent(entry) ? null : i + 1}
                standing={common ? null : standingOf(entry)}
                silence={gaps ? null : silenceText(words, entry)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Unstated conditions of a price, as a part of its row; null for none. */
function silenceText(words: Words, { ranked }: Conversion): string | null {
  const gaps = gapsText(words, ranked)
  return gaps === null ? null : words.say('table.silent', { gaps })
}

/** Text that is the same for several prices, and so applies to all of them at once. */
export function commonText(
  entries: readonly Conversion[],
  textOf: (entry: Conversion) => string | null,
): string | null {
  const [first, ...others] = entries.map(textOf)
  return others.length > 0 && others.every((one) => one === first) ? (first ?? null) : null
}

/** Reports whether a price is believed and what arrives is known, as a fee is stated. */
export const hasPlace = ({ ranked: { quote, suspect }, net }: Conversion): boolean =>
  !suspect && net !== null && net > 0 && (isFeeStated(quote) || !isExecutable(quote.rateType))

/** Reports whether money can be sent at a price that is current and has a place. */
export const isOffered = (entry: Conversion): boolean =>
  isExecutable(entry.ranked.quote.rateType) && !entry.ranked.isStale && hasPlace(entry)

/** The head of the column with what arrives, or what is sent. */
function amountHead(kind: RateType, isToArrive: boolean): MessageKey {
  if (isToArrive) return 'table.you-send'
  return isExecutable(kind) ? 'table.recipient-gets' : 'table.would-come-to'
}

const costHead = (kind: RateType): MessageKey =>
  isExecutable(kind) ? 'table.total-cost' : 'table.against-mid'

type HeadProps = Pick<Shared, 'from' | 'to' | 'isToArrive'> & { readonly kind: RateType }

function Head({ kind, from, to, isToArrive }: HeadProps) {
  const { say } = useWords()
  const amount = say(amountHead(kind, isToArrive))
  const code = isToArrive ? from.code : to.code
  const heads = [
    say('table.amount-in', { amount, code }),
    ...[costHead(kind), 'table.fee' as const, 'table.rate' as const, 'table.seen' as const].map(
      (name) => say(name),
    ),
  ]
  return (
    <thead>
      <tr>
        <th scope="col">{say('table.provider')}</th>
        {heads.map((head) => (
          <th key={head} scope="col" class="number">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

type RowProps = Shared & {
  readonly entry: Conversion
  readonly place: number | null
  readonly standing: string | null
  readonly silence: string | null
}

function Row({ entry, place, standing, silence, ...shared }: RowProps) {
  const { say, dayText, rateText } = useWords()
  const { quote, provider } = entry.ranked
  const kind = quote.rateType
  const date = bankDateOf(quote, provider)
  return (
    <tr>
      <th scope="row">
        <Who {...{ entry, place, standing, silence }} {...shared} isBest={entry === shared.best} />
      </th>
      <td class="number net wide" data-label={say(amountHead(kind, shared.isToArrive))}>
        <Amount entry={entry} {...shared} isCompared={place !== null && isExecutable(kind)} />
      </td>
      <td class="number wide" data-label={say(costHead(kind))}>
        <Cost entry={entry} currency={shared.from} mid={shared.mid} widestPct={shared.widestPct} />
      </td>
      <td class="number" data-label={say('table.fee')}>
        {isExecutable(kind) ? <Fee quote={quote} currencies={shared} /> : NONE}
      </td>
      <td class="number" data-label={say('table.rate')}>
        {rateText(quote.rate, shared.decimals)}
      </td>
      <td class="number" data-label={say('table.seen')}>
        <Seen ms={quote.atMs} nowMs={shared.nowMs} />
        {date && (
          <span class="aside">{say('table.bank-date', { day: dayText(Date.parse(date)) })}</span>
        )}
      </td>
    </tr>
  )
}

type AmountProps = Shared & { readonly entry: Conversion; readonly isCompared: boolean }

function Amount({ entry, isCompared, best, from, to, isToArrive }: AmountProps) {
  const { say, amountText, priceText } = useWords()
  const { net, sent, ranked, match } = entry
  const { rateType } = ranked.quote
  if (match?.match === 'out_of_range')
    return <span class="muted small">{say('table.no-price')}</span>
  if (net === null)
    return (
      <span class="muted small">{say(sent === null ? 'table.no-amount' : 'table.no-mid')}</span>
    )
  if (net <= 0) return <span class="muted small">{say('table.nothing')}</span>
  const [shown, currency] = isToArrive ? [sent!, from] : [net, to]
  const bestShown = best && (isToArrive ? best.sent : best.net)
  const difference = bestShown === null ? 0 : shown - bestShown
  return (
    <span>
      {amountText(shown, currency.minorUnits)}
      {!isFeeStated(ranked.quote) && isExecutable(rateType) && (
        <span class="aside">{say('table.before-fee')}</span>
      )}
      {isCompared && entry !== best && difference !== 0 && (
        <span class="aside">
          {say(difference > 0 ? 'table.more' : 'table.less', {
            amount: priceText(Math.abs(difference), currency),
          })}
        </span>
      )}
    </span>
  )
}

const NONE = <span class="muted">–</span>
