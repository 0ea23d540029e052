import type { Corridor } from '~/domain/corridor.ts'
import type { View } from '~/memory/view.ts'
import { newAlertHref } from '~/portal/alert/path.ts'
import { boardHref, knownParameters } from '~/portal/board/path.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { PATHS } from '~/portal/paths.ts'
import { FlagLinks } from '~/portal/place/flag-links.tsx'
import { type LivePair, livePairs } from '~/portal/place/live-pairs.ts'
import { type Pair, pairPath, pairSlug } from '~/portal/place/pair.ts'
import { prefixOf } from '~/portal/words/language.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import { filterParameters } from './filters.ts'
import { pairValues } from './known.ts'
import { currencyParameters, questionParameters } from './path.ts'
import type { SendQuery } from './query.ts'

type Props = {
  readonly view: View
  readonly base: string
  readonly query: SendQuery
  /** Says whether people can sign up, and so get alerts. */
  readonly canSignUp: boolean
}

/** Ways on from a pair: other currencies, the market, other countries, and other sites. */
export function More({ view, base, query, canSignUp }: Props) {
  const { say, inSentence } = useWords()
  const { pair, corridor, others, goal, fields } = query
  const { source, target } = pair
  const pairs = livePairs(view).filter(({ slug }) => slug !== pairSlug(pair))
  return (
    <>
      <section class="stack-tight" aria-labelledby="more-title">
        <h2 id="more-title">{say('more.title')}</h2>
        <ul class="links">
          {canSignUp && (
            <li>
              <a href={newAlertHref({ ...fields.placeTexts, amount: goal?.amount ?? null })}>
                {say('more.tell-me')}
              </a>
            </li>
          )}
          {others.map(({ from, to }) => (
            <li key={from + to}>
              <a href={`${pairPath(pair)}?${inCurrencies(query, { from, to })}`}>
                {say('more.prices-in', { from, to })}
              </a>
            </li>
          ))}
          {corridor.from !== corridor.to && (
            <li>
              <a href={boardHref({ ...corridor, ...(goal && { goal }), knownAt: query.knownAt })}>
                {say('more.any-country', corridor)}
              </a>
            </li>
          )}
          <li>
            <a href={PATHS.send}>{say('more.all')}</a>
          </li>
        </ul>
      </section>
      <Pairs
        title={say('more.from', { source: inSentence(source) })}
        pairs={pairs.filter((one) => one.source === source)}
        end="target"
      />
      <Pairs
        title={say('more.to', { target: inSentence(target) })}
        pairs={pairs.filter((one) => one.target === target)}
        end="source"
      />
      <Embedding base={base} query={query} />
    </>
  )
}

const inCurrencies = (query: SendQuery, corridor: Corridor) =>
  new URLSearchParams([...Object.entries(corridor), ...knownParameters(query)])

type PairsProps = {
  readonly title: string
  readonly pairs: readonly LivePair[]
  readonly end: keyof Pair
}

function Pairs({ title, pairs, end }: PairsProps) {
  if (pairs.length === 0) return null
  return (
    <section class="stack-tight" aria-labelledby={`${end}-title`}>
      <h2 id={`${end}-title`}>{title}</h2>
      <FlagLinks pairs={pairs} end={end} />
    </section>
  )
}

const EMBED = 'width="360" height="500"'

/** Markup for the prices of the pair on another site. */
function Embedding({ base, query }: Pick<Props, 'base' | 'query'>) {
  const { words, say } = useWords()
  const { source, target } = query.pair
  const countries = [
    ['source', source.code],
    ['target', target.code],
  ] as [string, string][]
  const parameters = [
    ...[...countries, ...currencyParameters(query), ...questionParameters(query)],
    ...filterParameters(query.asked),
  ]
  const question = new URLSearchParams(parameters as [string, string][])
  const src = `${base}${prefixOf(words.language)}${PATHS.embed}?${question}`
  const title = say('embed.frame-title', pairValues(words, query.pair))
  return (
    <details>
      <summary>{say('embed.show')}</summary>
      <div class="details-body">
        <CopyBox
          id="embed"
          label={say('embed.frame')}
          text={`<iframe src="${src.replaceAll('&', '&amp;')}" title="${title}" ${EMBED}></iframe>`}
        />
      </div>
    </details>
  )
}
