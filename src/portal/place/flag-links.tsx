import { useWords } from '~/portal/words/spoken.tsx'
import type { LivePair } from './live-pairs.ts'
import { flagPath } from './names.ts'
import { type Pair, pairPath, pairTitle } from './pair.ts'

type Props = {
  readonly pairs: readonly LivePair[]
  /** The end in which the pairs differ; without it both are shown. */
  readonly end?: keyof Pair
}

export function FlagLinks({ pairs, end }: Props) {
  const words = useWords()
  return (
    <ul class="flag-links">
      {pairs.map((pair) => (
        <li key={pair.slug}>
          <a href={pairPath(pair)}>
            <Flag country={pair[end ?? 'target']} />{' '}
            {end ? words.countryName(pair[end]) : pairTitle(words, pair)}
          </a>
        </li>
      ))}
    </ul>
  )
}

export const Flag = ({ country }: { country: Pair['source'] }) => (
  <img class="flag" src={flagPath(country)} alt="" width="20" height="15" loading="lazy" />
)
