import type { Clock } from '~/clock.ts'
import {
  ageSeconds,
  counter,
  counterOf,
  type Family,
  gauge,
  histogram,
  secondsOf,
} from './families.ts'
import type { ReplicationFigures } from './replication-figures.ts'

/** Lag of this process behind the commits of others. */
export const replicationMetrics = (figures: ReplicationFigures): Family[] => [
  counterOf(['replication_news_total', 'Announced commits of other processes'], function* () {
    for (const [kind, count] of figures.kinds) yield [{ kind }, count]
  }),
  histogram(
    ['replication_delay_seconds', 'Time from the announcement of a commit elsewhere to serving it'],
    figures.timings,
  ),
  gauge(
    [
      'replication_lag_seconds',
      'Age of the oldest announced commit that is not served yet; 0 without any',
    ],
    () => secondsOf(figures.lagMs),
  ),
]

type Publications = () => { readonly count: number; readonly lastMs: number | null }

/** The time when memory last changed. */
export const publicationMetrics = (publications: Publications, clock: Clock): Family[] => [
  counter(
    ['memory_publications_total', 'Generations that memory has served'],
    () => publications().count,
  ),
  gauge(['memory_generation_age_seconds', 'Age of the generation being served'], () =>
    ageSeconds(clock.now(), publications().lastMs),
  ),
]
