import { describe, expect, test } from 'bun:test'
import type { Account, Key } from '~/domain/account.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import type { UsageCount } from '~/domain/quota.ts'
import { dayOf } from '~/domain/quota.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import {
  ACCESS_MAX,
  type DatabaseChange,
  publishAccess,
  Refresher,
  type Sources,
  USAGE_ACCOUNTS_MAX,
} from '~/jobs/refresh.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { HandClock } from '../support/clock.ts'
import { KeptLog } from '../support/log.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const DAY = dayOf(NOW_MS)

const account = (id: string): Account => ({ id, email: id, plan: 'free', role: 'member' })
const key = (id: string, revokedMs: number | null = null): Key => ({
  id: `key-${id}`,
  accountId: id,
  name: id,
  hash: `hash-${id}`,
  lastFour: null,
  revokedMs,
})

/** A database of rows that logs its queries, and responds, fails or waits on demand. */
class Tables {
  feeds: FeedState | null = null
  banks: SourceRecord[] = []
  keys: Key[] = []
  usage: UsageCount[] = []
  readonly asked: string[] = []
  isAway = false
  /** Called after a read was done and before it returns. */
  beforeAnswer: ((question: string) => Promise<void> | void) | null = null

  readonly sources: Sources = {
    feeds: { load: () => this.#answer('feeds', () => this.feeds) },
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

  async #answer<T>(question: string, read: () => T): Promise<T> {
    this.asked.push(question)
    if (this.isAway) throw new Error('database away')
    const rows = read()
    await this.beforeAnswer?.(question)
    return rows
  }
}

function started() {
  const tables = new Tables()
  const memory = new Memory()
  const meter = new UsageMeter()
  const clock = new HandClock(NOW_MS)
  const log = new KeptLog()
  const refresher = new Refresher({ sources: tables.sources, memory, meter, clock, log })
  return { tables, memory, meter, clock, log, refresher }
}

const EVERYTHING = ['feeds', 'usage -6', 'access']

describe('Refresher.reload', () => {
  test('loads everything as of the clock, with the usage of seven days', async () => {
    const { tables, memory, meter, refresher } = started()
    tables.feeds = { ...noState, served: 'ecb' }
    tables.keys = [key('acc')]
    tables.usage = [{ accountId: 'acc', keyId: 'key-acc', day: DAY, requests: 7 }]
    await refresher.reload()
    expect(tables.asked).toEqual(EVERYTHING)
    expect(memory.current.feeds.served).toBe('ecb')
    expect(memory.current.keys.keyByHash('hash-acc')?.id).toBe('key-acc')
    expect(meter.used('acc', DAY)).toBe(7)
  })

  test('rejects when the database does not respond, and keeps what is served', async () => {
    const { tables, memory, refresher } = started()
    await refresher.reload()
    const before = memory.current
    tables.isAway = true
    await expect(refresher.reload()).rejects.toThrow('database away')
    expect(memory.current).toBe(before)
    tables.isAway = false
    await refresher.reload()
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

describe('usage counted by others during a batch of ours', () => {
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
    await Bun.sleep(0)
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
  test('changes are loaded by kind: access first, then usage, then feeds, once', async () => {
    const { tables, refresher } = started()
    refresher.note({ kind: 'feeds' })
    refresher.note({ kind: 'feeds' })
    refresher.note({ kind: 'usage', accountIds: ['a', 'b'] })
    refresher.note({ kind: 'access', accountId: 'acc' })
    refresher.note({ kind: 'usage', accountIds: ['b', 'c'] })
    await refresher.settled()
    expect(tables.asked).toEqual(['access acc', 'usage of a,b,c -1 2', 'feeds'])
  })

  test('accounts are not loaded one by one if all of them are', async () => {
    const { tables, refresher } = started()
    refresher.note({ kind: 'access', accountId: 'a' })
    refresher.note({ kind: 'access' })
    refresher.note({ kind: 'access', accountId: 'b' })
    await refresher.settled()
    expect(tables.asked).toEqual(['access'])
  })

  test('an account that was read before another publication is read again', async () => {
    const { tables, memory, clock, refresher } = started()
    tables.keys = [key('a')]
    const read = Promise.withResolvers<void>()
    tables.beforeAnswer = () => {
      tables.beforeAnswer = null
      return read.promise
    }
    const published = publishAccess({ memory, clock }, () => tables.sources.access.loadAccount('a'))
    tables.keys = [key('a', NOW_MS)]
    await refresher.loadAccess('a')
    read.resolve()
    await published
    expect(memory.current.keys.keyByHash('hash-a')!.revokedMs).toBe(NOW_MS)
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
      if (question === 'usage -6') refresher.note({ kind: 'access', accountId: 'a' })
    }
    refresher.note({ kind: 'everything' })
    await refresher.settled()
    expect(tables.asked).toEqual([...EVERYTHING, 'access a'])
  })

  test('more accounts than the bound are loaded as all accounts, in one go', async () => {
    const { tables, refresher } = started()
    for (let i = 0; i < ACCESS_MAX + 1; i++)
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
    const accountIds = Array.from({ length: USAGE_ACCOUNTS_MAX }, (_, i) => String(i))
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
    const { tables, log, refresher } = started()
    tables.isAway = true
    refresher.note({ kind: 'feeds' })
    await refresher.settled()
    tables.isAway = false
    tables.asked.length = 0
    refresher.note({ kind: 'feeds' })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
    refresher.note({ kind: 'feeds' })
    await refresher.settled()
    expect(tables.asked).toEqual([...EVERYTHING, 'feeds'])
    expect(log.said).toEqual(['warn: memory could not be refreshed'])
  })

  test('a failure that lasts is logged once', async () => {
    const { tables, log, refresher } = started()
    tables.isAway = true
    for (let i = 0; i < 5; i++) refresher.note({ kind: 'feeds' })
    await refresher.settled()
    expect(log.said).toEqual(['warn: memory could not be refreshed'])
  })

  test('changes received before the recovery starts are part of it and are not loaded again', async () => {
    const { tables, refresher } = started()
    tables.isAway = true
    refresher.note({ kind: 'feeds' })
    await refresher.settled()
    tables.isAway = false
    tables.asked.length = 0
    for (let i = 0; i < 5; i++) refresher.note({ kind: 'access', accountId: String(i) })
    await refresher.settled()
    expect(tables.asked).toEqual(EVERYTHING)
  })

  test('a reload that succeeds ends the recovery: the next change loads only itself', async () => {
    const { tables, refresher } = started()
    tables.isAway = true
    refresher.note({ kind: 'feeds' })
    await refresher.settled()
    tables.isAway = false
    await refresher.reload()
    tables.asked.length = 0
    refresher.note({ kind: 'feeds' })
    await refresher.settled()
    expect(tables.asked).toEqual(['feeds'])
  })

  test('retry loads everything after a failure, and queries nothing while memory is in step', async () => {
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

  test('settled resolves at once when nothing was noted', async () => {
    await started().refresher.settled()
  })
})
