import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ALWAYS_MS } from '~/domain/period.ts'
import { newestFirst } from '~/domain/quote.ts'
import type { Database } from '~/store/database.ts'
import { leafRows } from '~/store/evidence/leaf-rows.ts'
import { filePast } from '~/store/file/file-past.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createUploadStore } from '~/store/recording/upload-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { knownPrices } from '~/store/source/known-prices.ts'
import { pastOf } from '../../support/past.ts'
import { CORRIDORS, END_MS, oneOf, PROVIDER_IDS, START_MS } from './world.ts'

type Roll = () => number
type Past = Pick<
  ReturnType<typeof pastOf>['store'],
  'page' | 'standing' | 'lastIn' | 'buckets' | 'believedBests' | 'firstObservedMs'
>
type Ask = (database: Database) => Promise<unknown>

const momentOf = (roll: Roll) => START_MS - DAY_MS + Math.floor(roll() * (END_MS - START_MS + 9e8))

function windowOf(roll: Roll) {
  const fromMs = momentOf(roll)
  return { fromMs, beforeMs: fromMs + 1 + Math.floor(roll() ** 3 * 100 * DAY_MS) }
}

const FILTERS = {
  ...{ sourceCountry: null, targetCountry: null, payIn: null, payOut: null, channel: null },
  ...{ amount: null, deliveryMaxMs: HOUR_MS },
} as unknown as NonNullable<Parameters<Past['page']>[0]['filters']>

/** The start of an hour, which limits later pages. */
const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS

function page(roll: Roll) {
  const { fromMs, beforeMs } = windowOf(roll)
  const ask = {
    ...{ corridor: oneOf(roll, CORRIDORS), fromMs: hourOf(fromMs), beforeMs },
    order: oneOf(roll, ['asc', 'desc'] as const),
    providerId: oneOf(roll, [null, null, ...PROVIDER_IDS]),
    isWithWithdrawn: roll() < 0.3,
    limit: oneOf(roll, [1, 7, 100, 500]),
    offset: oneOf(roll, [0, 0, 3, 200]),
    ...(roll() < 0.2 && { filters: FILTERS }),
  }
  return (past: Past) => past.page(ask)
}

function standing(roll: Roll) {
  const sinceMs = momentOf(roll)
  const beforeMs = sinceMs + oneOf(roll, [1, HOUR_MS, DAY_MS, 40 * DAY_MS])
  const corridor = oneOf(roll, CORRIDORS)
  return async (past: Past) =>
    (await past.standing(corridor, { sinceMs, beforeMs })).toSorted((a, b) => a.id - b.id)
}

function lastIn(roll: Roll) {
  const corridor = oneOf(roll, CORRIDORS)
  const startMs = hourOf(momentOf(roll))
  const lengthMs = oneOf(roll, [HOUR_MS, DAY_MS, 30 * DAY_MS])
  const firstMs = oneOf(roll, [ALWAYS_MS, startMs - 3 * DAY_MS])
  return heldIn(corridor, { firstMs, startMs, lengthMs, count: 5 })
}

type Series = Record<'firstMs' | 'startMs' | 'lengthMs' | 'count', number>

/** A series of stretches of a length, after one that begins at `firstMs`. */
function heldIn(corridor: Corridor, { firstMs, startMs, lengthMs, count }: Series) {
  const stretch = (fromMs: number, beforeMs: number) => ({ fromMs, beforeMs, lastMs: beforeMs - 1 })
  const stretches = [
    stretch(firstMs, startMs),
    ...Array.from({ length: count }, (_, n) =>
      stretch(startMs + n * lengthMs, startMs + (n + 1) * lengthMs),
    ),
  ]
  return async (past: Past) => heldAtEnds(await past.lastIn(corridor, stretches), stretches)
}

/** Requests for series from before the first price to after the last, each in one corridor. */
export const WHOLE_SERIES: readonly Ask[] = CORRIDORS.map((corridor) => {
  const series = { firstMs: ALWAYS_MS, startMs: START_MS - DAY_MS, lengthMs: 30 * DAY_MS, count: 5 }
  const asked = heldIn(corridor, series)
  return (database) => asked(pastOf(database).store)
})

type Said = Awaited<ReturnType<Past['lastIn']>>

type Stretches = Parameters<Past['lastIn']>[1]

/** The rates in force at the end of each stretch, as series read them; older ones do not count. */
function heldAtEnds(said: Said, stretches: Stretches) {
  const sinceMs = stretches[0]!.fromMs
  const endless = new Map<string, Said[number]>()
  return stretches.map(({ lastMs }, nth) => {
    const own = said.filter(({ stretch }) => stretch === nth)
    for (const rate of own)
      if (rate.untilMs === Number.POSITIVE_INFINITY) endless.set(rate.offer, rate)
    const held = new Map(endless)
    for (const rate of own) {
      const other = held.get(rate.offer)
      if (rate.untilMs >= lastMs && (!other || newestFirst(rate, other) < 0))
        held.set(rate.offer, rate)
    }
    const recent = [...held.values()].filter(({ atMs }) => atMs >= sinceMs)
    return recent.map(({ stretch: _, ...rate }) => rate).sort((a, b) => a.id - b.id)
  })
}

function buckets(roll: Roll) {
  const { fromMs, beforeMs } = windowOf(roll)
  const ask = {
    corridor: oneOf(roll, CORRIDORS),
    ...{ fromMs: hourOf(fromMs), beforeMs },
    interval: oneOf(roll, ['PT1H', 'P1D', 'P1M'] as const),
    isOhlc: roll() < 0.5,
  }
  return async (past: Past) => (await past.buckets(ask)).toSorted((a, b) => a.startMs - b.startMs)
}

function believed(roll: Roll) {
  const corridor = oneOf(roll, CORRIDORS)
  const startMs = Math.floor(momentOf(roll) / DAY_MS) * DAY_MS
  const stretches = Array.from({ length: 6 }, (_, n) => ({
    ...{ fromMs: startMs + n * DAY_MS, beforeMs: startMs + (n + 1) * DAY_MS },
    ...{ least: 105, most: 140 },
  }))
  const ask = { interval: 'P1D', stretches, isOhlc: roll() < 0.5 } as const
  return async (past: Past) =>
    [...(await past.believedBests(corridor, ask))].sort(([a], [b]) => a - b)
}

function firstObserved(roll: Roll) {
  const corridor = oneOf(roll, CORRIDORS)
  return (past: Past) => past.firstObservedMs(corridor)
}

const OF_THE_PAST = [page, page, page, standing, standing, lastIn, buckets, believed, firstObserved]

/** A current request, or one about a time as known at another, mostly later, time. */
function pastAsk(roll: Roll): Ask {
  const question = oneOf(roll, OF_THE_PAST)(roll)
  if (roll() < 0.5) return (database) => question(pastOf(database).store)
  const knownMs = momentOf(roll) + 20 * DAY_MS
  return (database) =>
    createKnownStore(database).at(knownMs, ({ past }) => question(past) as Promise<unknown>)
}

function knownLive(roll: Roll): Ask {
  const knownMs = momentOf(roll)
  return (database) =>
    createKnownStore(database).at(knownMs, async ({ quotes }) =>
      (await quotes(CORRIDORS)).toSorted((a, b) => a.id - b.id),
    )
}

const idsOf = (roll: Roll) => Array.from({ length: 5 }, () => 1 + Math.floor(roll() * 3000))

function byIds(roll: Roll): Ask {
  const ids = idsOf(roll)
  const [first, limit] = [ids[0]!, 1 + Math.floor(roll() * 40)]
  const span = { ids, sinceMs: START_MS, untilMs: END_MS }
  return async (database) => {
    const reading = { sql: database.sql, tx: database.sql }
    return [
      await leafRows(reading, 'observation', { ids }),
      await leafRows(reading, 'observation', { first, last: first + 90, limit }),
      (await createWithdrawalStore(database).named(ids)).toSorted((a, b) => a.id - b.id),
      await createUploadStore(database).rowsOf(span),
    ]
  }
}

function ofFiles(roll: Roll): Ask {
  const { fromMs, beforeMs } = windowOf(roll)
  return async (database) => {
    const past = filePast(database, null)
    const rows: unknown[] = []
    for await (const batch of past.rows({ fromMs, beforeMs })) rows.push(...batch)
    return [rows, await past.corridorsBefore(beforeMs), await past.firstMs()]
  }
}

function ofSources(roll: Roll): Ask {
  const { fromMs, beforeMs } = windowOf(roll)
  const providerId = oneOf(roll, PROVIDER_IDS)
  return (database) => knownPrices(database, providerId, { sinceMs: fromMs, untilMs: beforeMs })
}

function ofRollups(roll: Roll): Ask {
  const window = windowOf(roll)
  return async (database) => {
    const store = createRollupStore(database)
    const [corridor] = await store.corridors()
    return store.differences(corridor!, { ...window, fromMs: hourOf(window.fromMs) })
  }
}

const OTHERS = [knownLive, byIds, byIds, ofFiles, ofSources, ofRollups]

export const randomAsk = (roll: Roll): Ask =>
  roll() < 0.75 ? pastAsk(roll) : oneOf(roll, OTHERS)(roll)
