import { Type } from '@sinclair/typebox'
import { invalidParameter } from '~/domain/errors.ts'
import { ORDERS } from '~/domain/history.ts'
import { PERIODS } from '~/domain/period.ts'
import { BUCKETS_MAX, INTERVALS } from '~/domain/series.ts'
import type { HistoryDeps } from '~/service/history.ts'
import type { SeriesDeps } from '~/service/series.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { optional, words } from '~/wire/fields.ts'
import { iso } from '~/wire/present.ts'
import { pageOf } from './answer/links.ts'
import {
  corridorFields,
  detailField,
  filterFields,
  provider,
  untilField,
} from './argument/fields.ts'
import { ITEMS, sliceFields } from './page.ts'
import { bucketsOf, windowOf } from './past/buckets.ts'
import { observationsOf } from './past/observations.ts'
import { type Tool, tool } from './tool.ts'

export type HistoryToolDeps = HistoryDeps & SeriesDeps & SnapshotDeps

const BUCKETS = 120

const { limit, offset } = sliceFields
const { default: _, ...limitWithoutDefault } = limit

const input = Type.Object({
  ...corridorFields,
  period: words(PERIODS, { default: '30d', description: 'How far back from the end.' }),
  interval: optional.words(INTERVALS, {
    description:
      `Buckets: P1D UTC days (at most ${BUCKETS_MAX.P1D}), PT1H hours (${BUCKETS_MAX.PT1H}), ` +
      'ISO weeks, months; detail full adds candles.',
  }),
  provider: Type.Optional(provider('Only this provider: id or name.')),
  ...filterFields,
  order: words(ORDERS, { default: 'asc', description: 'desc: newest first.' }),
  ...untilField,
  ...detailField,
  limit: Type.Optional({
    ...limitWithoutDefault,
    description: `By default ${ITEMS} observations or ${BUCKETS} buckets.`,
  }),
  offset,
})

/** Arguments that buckets do not take, since they are of all offers. */
const NOT_OF_BUCKETS = ['provider', ...Object.keys(filterFields)] as const

export const getHistory = (past: HistoryToolDeps): Tool =>
  tool({
    name: 'get_history',
    isKnowing: true,
    title: 'Rates over time',
    description:
      'How rates moved. With `interval` a point for each UTC day, hour, week or month: the mid ' +
      '(`mid`; `carried_mid`: none is of that day), the best rate that money could be moved at ' +
      '(`best`) and how many `samples`. Without: each price as recorded. `first`, `last`, ' +
      '`lowest`, `highest` and, with interval, `largest_move` from one point to the next are of ' +
      'the whole window by kind of price (limit 1 is enough). For one day: interval P1D, period ' +
      '1d, until that date. Before fees. For a change in percent use get_change.',
    input,
    rules: NOT_OF_BUCKETS.map((name) => ({
      of: [name, 'interval'],
      check(args) {
        if (args.interval === undefined || args[name as keyof typeof args] === undefined) return
        throw invalidParameter({
          name,
          fault: 'buckets are of all offers; leave out interval to see some of them',
        })
      },
    })),
    links({ interval, until, order, provider, ...args }) {
      const { source_country: _, target_country: __, ...corridor } = args
      const page = pageOf(corridor)
      if (!interval)
        return { page, csv: { path: '/rates/history', query: { ...args, until, order, provider } } }
      const { startMs } = windowOf({ interval, until, period: args.period })
      const window = { ...(startMs !== null && { start: iso(startMs) }), end: until }
      return { page, csv: { path: '/time-series', query: { ...args, ...window, interval } } }
    },
    answer({ args, view, then = past }) {
      const { interval, ...asked } = args
      return interval === undefined
        ? observationsOf(then, view, { limit: ITEMS, withdrawn: 'false', ...asked })
        : bucketsOf(then, view, { limit: BUCKETS, ...asked, interval })
    },
  })
