import { describe, expect, test } from 'bun:test'
import type { Account, Key } from '~/domain/account.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import type { UsageCount } from '~/domain/quota.ts'
import { dayOf } from '~/domain/quota.ts'
import type { Quote } from '~/domain/quote.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { BACKLOG_ACCOUNTS_MAX, BACKLOG_MAX, type DatabaseChange } from '~/jobs/backlog.ts'
import { Refresher, type Sources } from '~/jobs/refresh.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import { HandClock } from '../support/clock.ts'
import { answersOf } from '../support/days.ts'
import { KeptLog } from '../support/log.ts'
import { quote } from '../support/quotes.ts'
import { viewOf } from '../support/views.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const DAY = dayOf(NOW_MS)
const RANGE_ROWS_MAX = 20_000

const account = (id: string): Account => ({ id, email: id, plan: 'free', role: 'member' })
const key = (id: string, revokedMs: number | null = null): Key => ({
  id: `key-${id}`,
  accountId: id,
  name: id,
  hash: `hash-${id}`,
  lastFour: null,
  revokedMs,
})

/** A database that is rows, says what it was asked, and answers, fails or waits as told. */
class Tables {
  catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
  quotes: Quote[] = []
  references: Reference[] = []
  feeds: FeedState | null = null
  banks: SourceRecord[] = []
  keys: Key[] = []
  usage: UsageCount[] = []
  withdrawal: { quotes: Quote[]; withdrawn: Quote[] } | null = null
  readonly asked: string[] = []
  isAway = false
  /** Called after a reading was taken and before it is answered. */
  beforeAnswer: ((question: string) => Promise<void> | void) | null = null

  readonly sources: Sources = {
    catalogue: { load: () => this.#answer('catalogue', () => this.catalogue) },
    quotes: {
      live: (nowMs) => this.#answer(`quotes live ${nowMs - NOW_MS}`, () => [...this.quotes]),
      between: (first, last) => this.#between('quotes', this.quotes, { first, last }),
      withdrawal: () => this.#answer('withdrawal', () => this.withdrawal),
      withdrawnAmong: async (ids) =>
        this.withdrawal?.withdrawn.filter(({ id }) => ids.includes(id)) ?? [],
    },
    references: {
      live: () => this.#answer('references live', () => [...this.references]),
      between: (first, last) => this.#between('references', this.references, { first, last }),
      referencesAt: (probes) =>
        this.#answer(`references at ${textOf(probes)}`, () => answersOf(this.references, probes)),
    },
    feeds: { load: async () => this.feeds },
    quoteSources: { load: async () => this.banks },
    connectors: { load: async () => [] },
    access: {
      load: () => this.#answer('access', () => this.#accessOf(() => true)),
      loadAccount: (id) =>
        this.#answer(`access ${id}`, () => this.#accessOf(({ accountId }) => accountId === id)),
    },
    usage: {
      since: (day) => this.#answer(`usage ${day - DAY}`, () => [...this.usage]),
      ofAccounts: (accountIds, { day, days }) =>
        this.#answer(`usage of ${accountIds} ${day - DAY} ${days}`, () =>
          this.usage.filter(({ accountId }) => accountIds.includes(accountId)),
        ),
    },
  }

  #accessOf(isMeant: (key: Key) => boolean) {
    const keys = this.keys.filter(isMeant)
    return { accounts: keys.map(({ accountId }) => account(accountId)), keys }
  }

  #between<T extends { id: number }>(
    what: string,
    rows: readonly T[],
    { first, last }: { first: number; last: number },
  ): Promise<T[]> {
    return this.#answer(`${what} ${first}-${last}`, () =>
      rows.filter(({ id }) => id >= first && id <= last),
    )
  }

  async #answer<T>(question: string, read: () => T): Promise<T> {
    this.asked.push(question)
    if (this.isAway) throw new Error('database away')
    const rows = read()
    await this.beforeAnswer?.(question)
    return rows
  }
}

/** A provider's quote in USD/KES at a cutoff. */
const heldBy = (providerId: string, memory: Memory, cutoffMs: number) =>
  memory.current.quotes
    .book('USD', 'KES')
    ?.quotesAt(cutoffMs, cutoffMs)
    .find((quote) => quote.providerId === providerId)

const textOf = (probes: readonly Probe[]): string =>
  probes.map(({ currency, atMs }) => `${currency} ${atMs - NOW_MS}`).join()

function started() {
  const tables = new Tables()
  const memory = new Memory()
  const meter = new UsageMeter()
  const clock = new HandClock(NOW_MS)
  const log = new KeptLog()
  const refresher = new Refresher({ sources: tables.sources, memory, meter, clock, log })
  const rateOf = (providerId: string) => heldBy(providerId, memory, Number.POSITIVE_INFINITY)?.rate
  return { tables, memory, meter, clock, log, refresher, rateOf }
}

const EVERYTHING = ['catalogue', 'quotes live 0', 'references live', 'usage -6', 'access']

describe('Refresher.reload', () => {
  test('loads everything as of the clock, with the usage of seven days', async () => {
    const { tables, memory, meter, refresher, rateOf } = started()
    tables.quotes = [quote({ rate: 130 })]
    tables.references = [{ id: 1, atMs: 1, currency: 'KES', perUsd: 129, source: 'feed' }]
    tables.keys = [key('acc')]
    tables.usage = [{ accountId: 'acc', keyId: 'key-acc', day: DAY, requests: 7 }]
    await refresher.reload()
    expect(tables.asked).toEqual(EVERYTHING)
    expect(rateOf('retail-a')).toBe(130)
    expect(memory.current.catalogue.providers).toHaveLength(PROVIDERS.length)
    expect(memory.current.references.size).toBe(1)
    expect(memory.current.keys.keyByHash('hash-acc')?.id).toBe('key-acc')
    expect(meter.used('acc', DAY)).toBe(7)
  })

  test('reports whether memory lacked a quote or a reference before', async () => {
    const { tables, refresher } = started()
    expect(await refresher.reload()).toBe(false)
    tables.quotes = [quote()]
    expect(await refresher.reload()).toBe(true)
    expect(await refresher.reload()).toBe(false)
    tables.references = [{ id: 1, atMs: 1, currency: 'KES', perUsd: 129, source: 'feed' }]
    expect(await refresher.reload()).toBe(true)
    expect(await refresher.reload()).toBe(false)
  })

  test('rejects when the database does not answer, and keeps what is served', async () => {
    const { tables, memory, refresher } = started()
    tables.quotes = [quote()]
    await refresher.reload()
    const before = memory.current
    tables.isAway = true
    await expect(refresher.reload()).rejects.toThrow('database away')
    expect(memory.current).toBe(before)
    tables.isAway = false
    expect(await refresher.reload()).toBe(false)
  })

  test('rows that are recorded while it reads are not lost, although it read earlier', async () => {
    const { tables, memory, refresher, rateOf } = started()
    tables.quotes = [quote({ id: 1, rate: 130 })]
    tables.beforeAnswer = (question) => {
      if (!question.startsWith('quotes live')) return
      tables.beforeAnswer = null
      const ingested = quote({ id: 2, rate: 140, atMs: NOW_MS })
      tables.quotes.push(ingested)
      memory.publish({ quotes: [ingested] }, NOW_MS)
    }
    await refresher.reload()
    expect(rateOf('retail-a')).toBe(140)
  })

  test('units that are counted and written while it reads stay counted', async () => {
    const { tables, meter, refresher } = started()
    const nowUsed = (requests: number) => [{ accountId: 'a', keyId: 'k', day: DAY, requests }]
    tables.usage = nowUsed(5)
    await refresher.reload()
    tables.beforeAnswer = async (question) => {
      if (!question.startsWith('usage')) return
      tables.beforeAnswer = null
      await meter.reserve({ accountId: 'a', keyId: 'k', limit: 100, nowMs: NOW_MS })
      meter.takePending()
      tables.usage = nowUsed(6)
      meter.settle(tables.usage)
    }
    await refresher.reload()
    expect(meter.used('a', DAY)).toBe(6)
  })
})

describe('usage that others counted while a batch of ours was on its way', () => {
  const REQUEST = { accountId: 'a', keyId: 'k', limit: 100, nowMs: NOW_MS }
  const total = (requests: number) => [{ accountId: 'a', keyId: 'k', day: DAY, requests }]

  test('is read again when the batch was settled during the reading', async () => {
    const { tables, meter, refresher } = started()
    await meter.reserve(REQUEST)
    tables.beforeAnswer = () => {
      tables.beforeAnswer = null
      meter.takePending()
      meter.settle(total(1))
    }
    tables.usage = total(8)
    refresher.note({ kind: 'usage', accountIds: ['a'] })
    await refresher.settled()
    expect(meter.used('a', DAY)).toBe(8)
    expect(tables.asked).toHaveLength(2)
  })

  test('is read again once the batch is settled, at the second try too', async () => {
    for (const tries of [1, 2]) {
      const { tables, meter, refresher } = started()
      await meter.reserve(REQUEST)
      meter.takePending()
      tables.usage = total(7)
      refresher.note({ kind: 'usage', accountIds: ['a'] })
      await refresher.settled()
      expect(meter.used('a', DAY)).toBe(1)
      expect(tables.asked).toHaveLength(1)
      if (tries === 2) {
        meter.putBack()
        await Bun.sleep(0)
        await refresher.settled()
        expect(tables.asked).toHaveLength(1)
        meter.takePending()
      }
      meter.settle(total(1))
      await Bun.sleep(0)
      await refresher.settled()
      expect(meter.used('a', DAY)).toBe(7)
      expect(tables.asked).toHaveLength(2)
    }
  })

  test('is not read again after a stop', async () => {
    const { tables, meter, refresher } = started()
    await meter.reserve(REQUEST)
    meter.takePending()
    refresher.note({ kind: 'usage', accountIds: ['a'] })
    tables.usage = total(7)
    await refresher.settled()
    refresher.stop()
    meter.settle(total(1))
    await Bun.sleep(0)
    expect(tables.asked).toHaveLength(1)
  })
})

describe('Refresher.note', () => {
  test('changes are loaded by kind: access first, then usage, then the rest in order', async () => {
    const { tables, refresher } = started()
    refresher.note({ kind: 'catalogue' })
    refresher.note({ kind: 'observations', firstId: 3, lastId: 9 })
    refresher.note({ kind: 'references', firstId: 4, lastId: 4 })
    refresher.note({ kind: 'usage', accountIds: ['a', 'b'] })
    refresher.note({ kind: 'access', accountId: 'acc' })
    refresher.note({ kind: 'usage', accountIds: ['b', 'c'] })
    refresher.note({ kind: 'access' })
    await refresher.settled()
    expect(tables.asked).toEqual([
      'access acc',
      'access',
      'usage of a,b,c -1 2',
      'catalogue',
      'quotes 3-9',
      'references 4-4',
    ])
  })

  test('one change is loaded at a time', async () => {
    const { tables, refresher } = started()
    const { promise, resolve } = Promise.withResolvers<void>()
    tables.beforeAnswer = () => promise
    refresher.note({ kind: 'catalogue' })
    refresher.note({ kind: 'observations' })
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(tables.asked).toEqual(['catalogue'])
    resolve()
    await refresher.settled()
    expect(tables.asked).toEqual(['catalogue', 'quotes live 0'])
  })

  test('everything that it loads is served: quotes, references, keys and the catalogue', async () => {
    const { tables, memory, refresher, rateOf } = started()
    tables.quotes = [quote({ id: 1, rate: 130 }), quote({ id: 2, rate: 1, providerId: 'p2p-a' })]
    tables.references = [{ id: 1, atMs: 1, currency: 'KES', perUsd: 129, source: 'feed' }]
    tables.keys = [key('acc', 5)]
    tables.catalogue = { currencies: CURRENCIES, providers: [provider('only')] }
    refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    refresher.note({ kind: 'references', firstId: 1, lastId: 1 })
    refresher.note({ kind: 'access', accountId: 'acc' })
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(rateOf('retail-a')).toBe(130)
    expect(rateOf('p2p-a')).toBeUndefined()
    expect(memory.current.references.size).toBe(1)
    expect(memory.current.keys.keyByHash('hash-acc')?.revokedMs).toBe(5)
    expect(memory.current.catalogue.providers.map(({ id }) => id)).toEqual(['only'])
  })

  test('the state of the feeds from the later run stays, in whatever order they come', async () => {
    const { tables, memory, refresher } = started()
    const later = { ...noState, ranMs: 2, served: 'later' }
    for (const feeds of [later, { ...noState, ranMs: 1, served: 'earlier' }, null]) {
      tables.feeds = feeds
      refresher.note({ kind: 'feeds' })
      await refresher.settled()
      expect(memory.current.feeds).toEqual(later)
    }
    await refresher.reload()
    expect(memory.current.feeds).toEqual(later)
  })

  test('everything live is loaded for a change without a range, or with too wide a range', async () => {
    const { tables, refresher } = started()
    refresher.note({ kind: 'observations' })
    refresher.note({ kind: 'observations', firstId: 1 })
    refresher.note({ kind: 'observations', firstId: 1, lastId: RANGE_ROWS_MAX })
    refresher.note({ kind: 'observations', firstId: 1, lastId: RANGE_ROWS_MAX + 1 })
    refresher.note({ kind: 'references', firstId: 1, lastId: RANGE_ROWS_MAX + 1 })
    await refresher.settled()
    expect(tables.asked).toEqual([
      'quotes live 0',
      'quotes live 0',
      `quotes 1-${RANGE_ROWS_MAX}`,
      'quotes live 0',
      'references live',
    ])
  })

  test('a full backlog is loaded one by one', async () => {
    const { tables, refresher } = started()
    for (let i = 0; i < BACKLOG_MAX; i++) refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(tables.asked).toEqual(Array(BACKLOG_MAX).fill('catalogue'))
  })

  test('one change more turns the backlog, and what comes until it begins, into a single reload', async () => {
    const { tables, refresher } = started()
    for (let i = 0; i < BACKLOG_MAX + 1; i++) refresher.note({ kind: 'catalogue' })
    refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
  })

  test('changes that are noted again and again are loaded once, and access before them', async () => {
    const { tables, refresher } = started()
    for (let i = 0; i < 100; i++) refresher.note({ kind: 'everything' })
    refresher.note({ kind: 'access', accountId: 'a' })
    refresher.note({ kind: 'usage', accountIds: ['a'] })
    await refresher.settled()
    expect(tables.asked).toEqual(['access a', ...EVERYTHING])
  })

  test('a change noted during a reload is loaded after it', async () => {
    const { tables, refresher } = started()
    tables.beforeAnswer = (question) => {
      if (question === 'usage -6') refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    }
    refresher.note({ kind: 'everything' })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
    await refresher.settled()
    expect(tables.asked).toEqual([...EVERYTHING, 'quotes 1-1'])
  })

  test('more accounts than the bound are loaded as all accounts, in one go', async () => {
    const { tables, refresher } = started()
    for (let i = 0; i < BACKLOG_MAX + 1; i++)
      refresher.note({ kind: 'access', accountId: String(i) })
    await refresher.settled()
    expect(tables.asked).toEqual(['access'])
  })

  const readings: [of: string, change: DatabaseChange][] = [
    ['everything', { kind: 'everything' }],
    ['all accounts', { kind: 'access' }],
    ['its account', { kind: 'access', accountId: 'a' }],
  ]
  test.each(readings)(
    'a key that is revoked here while %s is read stays revoked',
    async (_of, change) => {
      const { tables, memory, refresher } = started()
      tables.keys = [key('a')]
      let isRevoked = false
      tables.beforeAnswer = (question) => {
        if (!question.startsWith('access') || isRevoked) return
        isRevoked = true
        tables.keys = [key('a', 50)]
        memory.publish({ access: { accounts: [account('a')], keys: tables.keys } }, NOW_MS)
      }
      refresher.note(change)
      await refresher.settled()
      expect(isRevoked).toBe(true)
      expect(memory.current.keys.keysOf('a')).toEqual([key('a', 50)])
    },
  )

  test('as many accounts as the bound are loaded together, and one more makes a reload', async () => {
    const { tables, refresher } = started()
    const accountIds = Array.from({ length: BACKLOG_ACCOUNTS_MAX }, (_, i) => String(i))
    refresher.note({ kind: 'usage', accountIds })
    await refresher.settled()
    expect(tables.asked).toHaveLength(1)
    tables.asked.length = 0
    refresher.note({ kind: 'usage', accountIds: [...accountIds, 'one more'] })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
  })

  test('units that others counted join those counted here, and none counts twice', async () => {
    const { tables, meter, refresher } = started()
    const unit = { accountId: 'a', keyId: 'k', limit: 100, nowMs: NOW_MS }
    await meter.reserve(unit)
    await meter.reserve(unit)
    const stored = (requests: number) => [
      { accountId: 'a', keyId: 'k', day: DAY, requests },
      { accountId: 'a', keyId: 'other key', day: DAY, requests: 5 },
    ]
    tables.usage = stored(10)
    refresher.note({ kind: 'usage', accountIds: ['a'] })
    await refresher.settled()
    expect(meter.used('a', DAY)).toBe(17)
    tables.beforeAnswer = () => {
      tables.beforeAnswer = null
      meter.takePending()
      tables.usage = stored(12)
      meter.settle(tables.usage.slice(0, 1))
    }
    refresher.note({ kind: 'usage', accountIds: ['a'] })
    await refresher.settled()
    expect(meter.used('a', DAY)).toBe(17)
  })

  test('the next change after a failure loads everything, and the one after that only itself', async () => {
    const { tables, log, refresher, rateOf } = started()
    tables.quotes = [quote({ id: 1, rate: 130 })]
    tables.isAway = true
    refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    await refresher.settled()
    expect(rateOf('retail-a')).toBeUndefined()
    tables.isAway = false
    tables.asked.length = 0
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
    expect(rateOf('retail-a')).toBe(130)
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(tables.asked).toEqual([...EVERYTHING, 'catalogue'])
    expect(log.said).toEqual(['warn: memory could not be refreshed'])
  })

  test('a failure that lasts is logged once', async () => {
    const { tables, log, refresher } = started()
    tables.isAway = true
    for (let i = 0; i < 5; i++) refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(log.said).toEqual(['warn: memory could not be refreshed'])
  })

  test('a change heard while the recovery reads is loaded after it, not dropped with the rest', async () => {
    const { tables, refresher, rateOf } = started()
    tables.isAway = true
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    tables.isAway = false
    tables.beforeAnswer = (question) => {
      if (!question.startsWith('quotes live')) return
      tables.beforeAnswer = null
      tables.quotes.push(quote({ id: 1, rate: 130 }))
      refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    }
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    await refresher.settled()
    expect(rateOf('retail-a')).toBe(130)
  })

  test('changes heard before the recovery begins are part of it and are not loaded again', async () => {
    const { tables, refresher } = started()
    tables.isAway = true
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    tables.isAway = false
    tables.asked.length = 0
    for (let i = 0; i < 5; i++) refresher.note({ kind: 'observations', firstId: i, lastId: i })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
  })

  test('a reload that fails forgets no change: the next one loads everything', async () => {
    const { tables, refresher, rateOf } = started()
    tables.isAway = true
    const reloaded = refresher.reload()
    tables.quotes = [quote({ id: 1, rate: 130 })]
    refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    await expect(reloaded).rejects.toThrow('database away')
    await refresher.settled()
    tables.isAway = false
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(rateOf('retail-a')).toBe(130)
  })

  test('a reload that succeeds ends the recovery: the next change loads only itself', async () => {
    const { tables, refresher } = started()
    tables.isAway = true
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    tables.isAway = false
    await refresher.reload()
    tables.asked.length = 0
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(tables.asked).toEqual(['catalogue'])
  })

  test('retry loads everything after a failure, and asks nothing while memory is in step', async () => {
    const { refresher, tables, memory } = started()
    tables.keys = [key('a', NOW_MS)]
    tables.isAway = true
    refresher.note({ kind: 'access', accountId: 'a' })
    await refresher.settled()
    await expect(refresher.retry()).rejects.toThrow()
    tables.isAway = false
    await refresher.retry()
    expect(memory.current.keys.keyByHash('hash-a')?.revokedMs).toBe(NOW_MS)
    tables.asked.length = 0
    await refresher.retry()
    expect(tables.asked).toEqual([])
  })

  test('retry loads what held before, after the clock was turned back beyond it', async () => {
    const { refresher, tables, memory, clock } = started()
    const [early, late] = [
      quote({ id: 1, rate: 100, atMs: NOW_MS - 5 * HOUR_MS }),
      quote({ id: 2, rate: 101, atMs: NOW_MS + 20 * HOUR_MS }),
    ]
    tables.quotes = [early, late]
    clock.advance(25 * HOUR_MS)
    await refresher.reload()
    const heldAtTheHour = () => {
      const cutoffMs = hourStartMs(clock.now())
      return heldBy(early.providerId, memory, cutoffMs)?.rate
    }
    clock.advance(-25 * HOUR_MS)
    expect(heldAtTheHour()).toBeUndefined()
    await refresher.retry()
    expect(heldAtTheHour()).toBe(100)
    tables.asked.length = 0
    await refresher.retry()
    clock.advance(-HOUR_MS)
    await refresher.retry()
    expect(tables.asked).toEqual([])
  })

  test('settled and a reload come about while news come faster than they are loaded', async () => {
    const { tables, refresher, rateOf } = started()
    const some = (id: number) => ({ kind: 'observations', firstId: id, lastId: id }) as const
    let id = 0
    tables.beforeAnswer = (question) => {
      if (/^quotes \d/.test(question) && id < 1000) refresher.note(some(++id))
    }
    tables.quotes = [quote({ id: 1, rate: 130 })]
    refresher.note(some(++id))
    await refresher.settled()
    expect(rateOf('retail-a')).toBe(130)
    await refresher.reload()
    expect(id).toBeLessThan(10)
    id = 1000
  })

  test('settled resolves at once when nothing was noted', async () => {
    await started().refresher.settled()
  })
})

describe('the references of the days of quotes', () => {
  const reference = (id: number, atMs: number, currency = 'KES'): Reference => ({
    id,
    atMs,
    currency,
    perUsd: 120 + id,
    source: 'feed',
  })
  const yesterday = (id: number) => reference(id, NOW_MS - 24 * HOUR_MS)
  const earlier = quote({ atMs: NOW_MS - HOUR_MS })
  const live = (quotes: Quote[], references: Reference[]) => {
    const world = started()
    Object.assign(world.tables, { quotes, references })
    const midsOf = (from = 'USD', to = 'KES') =>
      viewOf({ memory: world.memory, clock: world.clock })
        .corridor(from, to)
        .quotes.map(({ midAtQuote }) => midAtQuote?.rate ?? null)
    return { ...world, midsOf }
  }

  test('are loaded with everything, and again whenever everything is', async () => {
    const { tables, refresher, midsOf } = live([earlier], [yesterday(1), reference(2, NOW_MS)])
    await refresher.reload()
    expect(midsOf()).toEqual([121])
    tables.references.push(reference(3, NOW_MS - 2 * HOUR_MS))
    expect(midsOf()).toEqual([121])
    expect(await refresher.reload()).toBe(true)
    expect(midsOf()).toEqual([123])
    expect(await refresher.reload()).toBe(false)
  })

  test('are looked up for rows by their ids, but for those newer than every reference', async () => {
    const { tables, refresher, midsOf } = live([], [yesterday(1), reference(2, NOW_MS - 1)])
    await refresher.reload()
    tables.quotes = [quote({ id: 1, atMs: NOW_MS })]
    tables.asked.length = 0
    refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    await refresher.settled()
    expect(tables.asked).toEqual(['quotes 1-1'])
    expect(midsOf()).toEqual([122])
    tables.quotes = [{ ...earlier, id: 2, from: 'GBP', to: 'KES' }]
    refresher.note({ kind: 'observations', firstId: 2, lastId: 2 })
    await refresher.settled()
    expect(tables.asked.at(-1)).toBe(`references at KES ${-HOUR_MS}`)
  })

  test('of earlier days join where they are listed, and all are asked for where not', async () => {
    const { tables, refresher, midsOf } = live([earlier], [yesterday(1), reference(2, NOW_MS)])
    await refresher.reload()
    tables.references.push(reference(3, NOW_MS - 2 * HOUR_MS))
    tables.asked.length = 0
    refresher.note({ kind: 'references', firstId: 3, lastId: 3 })
    await refresher.settled()
    expect(midsOf()).toEqual([123])
    tables.references.push(reference(4, NOW_MS - 2 * HOUR_MS))
    refresher.note({ kind: 'references' })
    await refresher.settled()
    expect(midsOf()).toEqual([124])
    expect(tables.asked).toEqual([
      'references 3-3',
      'references live',
      `references at KES ${-HOUR_MS}`,
    ])
  })

  test('of an anchor are there when a catalogue gives a peg', async () => {
    const pair = { ...earlier, from: 'GBP', to: 'KES' }
    const { tables, refresher, midsOf } = live(
      [pair],
      [
        ...[reference(1, NOW_MS, 'GBP'), reference(2, NOW_MS - 2 * HOUR_MS, 'EUR')],
        ...[yesterday(3), reference(4, NOW_MS, 'EUR')],
      ],
    )
    await refresher.reload()
    expect(midsOf('GBP', 'KES')).toEqual([null])
    const currencies = CURRENCIES.map((known) =>
      known.code === 'GBP' ? { ...known, peg: { to: 'EUR', rate: 2 } } : known,
    )
    tables.catalogue = { currencies, providers: PROVIDERS }
    tables.asked.length = 0
    refresher.note({ kind: 'catalogue' })
    await refresher.settled()
    expect(tables.asked).toEqual(['catalogue', `references at EUR ${-HOUR_MS}`])
    expect(midsOf('GBP', 'KES')).toEqual([123 / 244])
  })

  test('a reference published while days are looked up is not lost to an older reading', async () => {
    const { tables, memory, refresher, midsOf } = live([earlier], [yesterday(1)])
    tables.references.push(reference(2, NOW_MS))
    tables.beforeAnswer = (question) => {
      if (!question.startsWith('references at')) return
      tables.beforeAnswer = null
      memory.publish({ references: [reference(3, NOW_MS - 2 * HOUR_MS)] }, NOW_MS)
    }
    await refresher.reload()
    expect(midsOf()).toEqual([123])
  })

  test('a quote that comes while days are looked up again is held against what is live', async () => {
    const { tables, memory, refresher, midsOf } = live([], [yesterday(1)])
    await refresher.reload()
    tables.references.push(reference(2, NOW_MS - 2 * HOUR_MS), reference(3, NOW_MS))
    tables.beforeAnswer = (question) => {
      if (question !== 'references live') return
      tables.beforeAnswer = null
      memory.publish({ quotes: [earlier] }, NOW_MS)
    }
    refresher.note({ kind: 'references' })
    await refresher.settled()
    expect(midsOf()).toEqual([122])
  })

  test('that cannot be looked up leave the change unloaded until everything is', async () => {
    const { tables, refresher, midsOf } = live([], [yesterday(1), reference(2, NOW_MS)])
    await refresher.reload()
    tables.quotes = [earlier]
    tables.beforeAnswer = (question) => {
      if (question.startsWith('references at')) throw new Error('database away')
    }
    refresher.note({ kind: 'observations', firstId: 1, lastId: 1 })
    await refresher.settled()
    expect(refresher.isBehind).toBe(true)
    expect(midsOf()).toEqual([])
    tables.beforeAnswer = null
    await refresher.retry()
    expect(midsOf()).toEqual([121])
  })
})
