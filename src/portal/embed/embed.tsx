import { PLAIN } from '~/domain/offer/terms.ts'
import type { View } from '~/memory/view.ts'
import { costsText } from '~/portal/board/cost-text.ts'
import { lackText, standingText } from '~/portal/board/kinds.ts'
import {
  gapsText,
  isSibling,
  offerWords,
  ownWords,
  pricedAt,
  severalText,
} from '~/portal/board/offer-text.ts'
import { commonText, isOffered } from '~/portal/board/provider-table.tsx'
import { presentPage } from '~/portal/cite/known-page.tsx'
import type { Credit } from '~/portal/frame.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { countryNamed, flagPath } from '~/portal/place/names.ts'
import { type Pair, pairPath, pairTitle } from '~/portal/place/pair.ts'
import type { PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { pairConversions } from '~/portal/send/conversions.ts'
import { pairValues } from '~/portal/send/known.ts'
import { pairHref } from '~/portal/send/path.ts'
import { type SendQuery, sendQuery } from '~/portal/send/query.ts'
import { moneyOf } from '~/portal/words/format.ts'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { Conversion, Conversions } from '~/service/convert.ts'

/** The best prices between two countries, for other sites to show within a page of theirs. */
export const embedRoute = (deps: PublicDeps) =>
  presentPage(deps, PATHS.embed, (_, ask) => embedPage(ask, deps.pages.credits))

const ROWS_MAX = 5

function embedPage(
  { view, url: { searchParams }, words, nowMs }: PublicAsk,
  credits: readonly Credit[],
): Page {
  const pair = pairIn(searchParams)
  const query = pair && sendQuery({ words, view, pair, params: searchParams })
  const conversions = query && pairConversions(view, query)
  const isAnswered = query !== null && conversions !== null
  return {
    title: pair ? pairTitle(words, pair) : words.say('embed.title'),
    path: PATHS.embed,
    known: null,
    isFramed: true,
    status: isAnswered ? 200 : 400,
    body: isAnswered ? (
      <Embedded {...{ view, query, conversions, nowMs, credits }} />
    ) : (
      <Wrong query={query} />
    ),
  }
}

/** The countries of a frame, by their codes or names. */
function pairIn(params: URLSearchParams): Pair | null {
  const source = countryNamed(params.get('source') ?? '')
  const target = countryNamed(params.get('target') ?? '')
  return source && target && source !== target ? { source, target } : null
}

const Wrong = ({ query }: { query: SendQuery | null }) => (
  <p>
    {Object.values(query?.fields.faults ?? {})[0] ??
      useWords().say('embed.wrong', { example: 'source=GB, target=GH' })}
  </p>
)

type Props = {
  readonly view: View
  readonly nowMs: number
  readonly credits: readonly Credit[]
  readonly query: SendQuery
  readonly conversions: Conversions
}

function Embedded({ view, query, conversions, nowMs, credits }: Props) {
  const { words, say, rich } = useWords()
  const { source, target } = query.pair
  const entries = conversions.entries.filter(isOffered)
  return (
    <>
      <h1>
        {rich('pair.title', {
          source: <Flagged country={source} />,
          target: <Flagged country={target} />,
        })}
      </h1>
      <Conditions asked={query.asked} />
      {entries.length > 0 ? (
        <>
          <Rows view={view} conversions={conversions} entries={entries.slice(0, ROWS_MAX)} />
          <Basis
            entries={entries.slice(0, ROWS_MAX)}
            from={conversions.corridor.from}
            nowMs={nowMs}
          />
        </>
      ) : (
        <p>
          {conversions.lack
            ? lackText(words, conversions.lack, conversions)
            : say('embed.none', pairValues(words, query.pair))}
        </p>
      )}
      <Onward {...{ view, query }} count={entries.length} />
      {credits.length > 0 && (
        <p class="small muted">
          {rich('embed.source', {
            credits: <bdi lang="en">{credits.map(({ text }) => text).join('; ')}</bdi>,
          })}
        </p>
      )}
    </>
  )
}

/** The requested conditions besides the countries. */
function Conditions({ asked }: { asked: SendQuery['asked'] }) {
  const words = useWords()
  const parts = offerWords(words, { ...PLAIN, ...asked }, true)
  if (parts.length === 0) return null
  return <p class="small muted">{parts.join(words.say('list.comma'))}</p>
}

/** The way to the pair's page, and the time of the prices. */
function Onward({ view, query, count }: Pick<Props, 'view' | 'query'> & { count: number }) {
  const { say, clockText } = useWords()
  const href = count > 0 ? pairHref({ ...query, knownAt: null }) : pairPath(query.pair)
  return (
    <p class="small">
      <a href={href} {...OUTSIDE}>
        {count > ROWS_MAX ? say('embed.all', { count }) : say('embed.more')}
      </a>{' '}
      <span class="muted">{say('embed.as-of', { time: clockText(view.freshness.cutoffMs) })}</span>
    </p>
  )
}

type BasisProps = {
  readonly entries: readonly Conversion[]
  readonly from: string
  readonly nowMs: number
}

function Basis({ entries, from, nowMs }: BasisProps) {
  const { say, askedText, spanText } = useWords()
  const offers = entries.map(({ ranked }) => ranked.quote.offer ?? PLAIN)
  const bounds = offers.flatMap(({ amountMin, amountMax }) => [amountMin, amountMax])
  const amounts = bounds.filter((amount) => amount !== null)
  const ages = entries.map(({ ranked }) => nowMs - ranked.quote.atMs)
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)]
  const text = (amount: number) => askedText(amount, moneyOf(from))
  const span =
    least === most ? text(least) : say('span.range', { least: text(least), most: text(most) })
  return (
    <p class="small muted">
      {amounts.length > 0 ? say('embed.stated', { span }) : say('embed.stated-none')}{' '}
      {say('embed.oldest', { span: spanText(Math.max(...ages)) })}
    </p>
  )
}

const Flagged = ({ country }: { country: Pair['source'] }) => (
  <>
    <img class="flag" src={flagPath(country)} alt="" width="20" height="15" />{' '}
    {useWords().countryName(country)}
  </>
)

/** Links leave the frame: everything else of ours refuses to be framed. */
const OUTSIDE = { target: '_blank', rel: 'noopener' } as const

/** Requested conditions that a price does not state, in its row; null for none. */
function silenceText(words: Words, gaps: string | null): string | null {
  return gaps && words.say('table.silent', { gaps })
}

/** What tells a price apart from the others of its provider; empty for the only one. */
function ownText(words: Words, { ranked }: Conversion, entries: readonly Conversion[]): string {
  const all = entries.map((one) => one.ranked)
  if (!all.some((other) => isSibling(ranked, other))) return ''
  const several = severalText(words, ranked.quote.offer ?? PLAIN)
  return [...ownWords(words, ranked, all), ...(several ? [several] : [])].join(
    words.say('list.comma'),
  )
}

/** The cost of a price, and the amount that it is for if that is another. */
function aboutText(words: Words, entry: Conversion): string | null {
  const amount = pricedAt(words, entry)
  if (entry.cost) return costsText(words, entry.cost, amount)
  return amount && words.say('who.nearest', { amount })
}

const Aside = ({ text }: { text: string | null }) => text && <span class="aside">{text}</span>

type RowsProps = Pick<Props, 'view' | 'conversions'> & { readonly entries: readonly Conversion[] }

function Rows({ view: { catalogue }, conversions, entries }: RowsProps) {
  const { words, say, askedText, priceText } = useWords()
  const { corridor, amount, recipientGets } = conversions
  const from = catalogue.currency(corridor.from)!
  const to = catalogue.currency(corridor.to)!
  const isToArrive = recipientGets !== null
  const standingOf = ({ ranked: { quote, provider } }: Conversion) =>
    standingText(words, quote, provider)
  const common = commonText(entries, standingOf)
  const gapsOf = ({ ranked }: Conversion) => gapsText(words, ranked)
  const gaps = commonText(entries, gapsOf)
  return (
    <>
      <table class="table">
        <caption>
          {isToArrive
            ? say('embed.to-send', { amount: askedText(recipientGets, to) })
            : say('embed.arrives', { amount: askedText(amount ?? 0, from) })}
        </caption>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.ranked.quote.id}>
              <th scope="row">
                <Name>{entry.ranked.provider.name}</Name>
                <Aside text={ownText(words, entry, entries)} />
                {!common && <Aside text={standingOf(entry)} />}
                {!gaps && <Aside text={silenceText(words, gapsOf(entry))} />}
              </th>
              <td class="number">
                {isToArrive ? priceText(entry.sent!, from) : priceText(entry.net!, to)}
                <Aside text={aboutText(words, entry)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {common && <p class="small muted">{say('table.each-is', { common })}</p>}
      {gaps && <p class="small muted">{say('table.each-silent', { gaps })}</p>}
    </>
  )
}
