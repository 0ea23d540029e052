import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { setTimeout as delay } from 'node:timers/promises'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { NOW_MS, otherHandle, stockedDatabase, untilWaiting } from '../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { LOADED } from '../support/log.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { addAccount, handleAt, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const HEARD_MS_MAX = 1000
/** Two pulses, and the time to connect. */
const SILENCE_MS_MAX = 8000
/** Time after which no reload is in progress that could hide a missed row. */
const RELOADED_MS = 3000
const PACE_MS = 5
/** A limit that no replica alone would use up so soon. */
const LIMIT = 600

let database: FreshDatabase
const running: Replica[] = []

beforeEach(async () => {
  database = await stockedDatabase()
})
afterEach(async () => {
  for (const { service } of running.splice(0)) await service.stop()
  await database.close()
})

async function replicas(count: number, settings = {}): Promise<Replica[]> {
  for (let i = 0; i < count; i++) running.push(await Replica.start(database, { settings }))
  return running
}

/** The time that it takes until `condition` holds. */
async function msUntil(what: string, condition: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now()
  await until(what, condition)
  return performance.now() - startMs
}

/** In the hour of the clock; a price of the same time would replace the previous one. */
const BEFORE = '2026-03-05T14:20:00Z'
const row = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 131.25 }
const bestRate = async (replica: Replica, key: string) =>
  (await replica.get('/fetch-one?from=USDT&to=KES', key)).body.provider_best?.rate

/** With the two keys that follow, fewer than a replica looks up at one time of its clock. */
const NEW_KEYS = 15

describe('replicas on one database', () => {
  test('an observation on one is served by the others within a second', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const [first, ...others] = await replicas(3)
    const posted = { ...row, from: 'USDT' }
    expect((await first!.post(posted, keys[0]!)).status).toBe(201)
    for (const other of others) {
      const serves = async () => (await bestRate(other, keys[0]!)) === 131.25
      expect(await msUntil('the observation', serves)).toBeLessThan(HEARD_MS_MAX)
    }
  })

  test('nothing is skipped when a batch with lower ids commits after one with higher ids', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const [first, second] = await replicas(2)
    const rateOf = async (to: string) =>
      (await second!.get(`/rates?from=USD&to=${to}`, keys[0]!)).body.providers[0]?.rate
    const before = { ...row, rate: 1, effective_from: BEFORE }
    expect((await first!.post(before, keys[0]!)).status).toBe(201)
    expect((await first!.post({ ...before, to: 'NGN' }, keys[0]!)).status).toBe(201)
    const holder = otherHandle(database)
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = holder.sql.begin(async (tx) => {
      await tx`select 1 from rollups where corridor_id =
        (select id from corridors where source = 'USD' and target = 'KES') for update`
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const slow = first!.post({ ...row, rate: 140 }, keys[0]!)
    await untilWaiting(database, 1)
    expect((await first!.post({ ...row, to: 'NGN', rate: 900 }, keys[0]!)).status).toBe(201)
    await until('the later batch', async () => (await rateOf('NGN')) === 900)
    expect(await rateOf('KES')).toBe(1)
    held.resolve()
    await holding
    expect((await slow).status).toBe(201)
    const [ids] = await database.sql`select
      (select id from observations where rate = 140) < (select id from observations where rate = 900)
      as lower`
    expect(ids?.lower).toBe(true)
    const serves = async () => (await rateOf('KES')) === 140
    expect(await msUntil('the earlier batch', serves)).toBeLessThan(HEARD_MS_MAX)
    await holder.close()
  })

  test('a provider that is switched off is off on all within a second, and stays in the past', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const all = await replicas(2)
    const day = (ago: number) => new Date(NOW_MS - ago * DAY_MS).toISOString().slice(0, 10)
    const observed = { ...row, effective_from: `${day(2)}T10:00:00Z` }
    expect((await all[0]!.post(observed, keys[0]!)).status).toBe(201)
    const providersOn = async (replica: Replica, date: string) => {
      const path = `/historical?from=USD&to=KES&date=${date}`
      const { body } = await replica.get(path, keys[0]!)
      return body.providers.map(({ provider_id }: { provider_id: string }) => provider_id)
    }
    for (const replica of all)
      await until('the quote', async () => (await providersOn(replica, day(0))).length === 1)
    const off = PROVIDERS.filter(({ id }) => id === row.provider_id)
    const providers = off.map((provider) => ({ ...provider, isActive: false }))
    await createCatalogueStore(database).apply({ currencies: [], providers })
    for (const replica of all) {
      const isGone = async () => (await providersOn(replica, day(0))).length === 0
      expect(await msUntil('the end of the provider', isGone)).toBeLessThan(HEARD_MS_MAX)
      expect(await providersOn(replica, day(1))).toEqual([row.provider_id])
    }
  })

  test('a catalogue and a reference reach all within a second', async () => {
    const { keys } = await addAccount(database, {})
    const all = await replicas(2)
    const operator = otherHandle(database)
    const only = PROVIDERS.map((provider) => ({ ...provider, name: `${provider.name} renamed` }))
    await createCatalogueStore(operator).apply({ currencies: CURRENCIES, providers: only })
    const rates = [{ currency: 'KES', perUsd: '129' }]
    await createReferenceStore(operator).append({ source: 'feed', fetchedMs: NOW_MS, rates })
    for (const replica of all) {
      const isServed = async () => {
        const { body } = await replica.get('/providers', keys[0]!)
        const mid = await replica.get('/fetch-one?from=USD&to=KES', keys[0]!)
        return body.providers[0].name.endsWith('renamed') && mid.body.mid === 129
      }
      expect(await msUntil('both', isServed)).toBeLessThan(HEARD_MS_MAX)
    }
    await operator.close()
  })

  test('401 is returned on all within a second of a revocation, even under a stream of batches', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const doomed = await addAccount(database, {})
    const all = await replicas(2)
    for (const replica of all)
      expect((await replica.get('/providers', doomed.keys[0]!)).status).toBe(200)
    let isOver = false
    const streams = all.map(async (replica) => {
      for (let rate = 1; !isOver; rate++) await replica.post({ ...row, rate }, keys[0]!)
    })
    const operator = otherHandle(database)
    await createAccountStore(operator).revokeKey(doomed.keyIds[0]!, NOW_MS, { actor: COMMAND_LINE })
    for (const replica of all) {
      const isRefused = async () =>
        (await replica.get('/providers', doomed.keys[0]!)).status === 401
      expect(await msUntil('the refusal', isRefused)).toBeLessThan(HEARD_MS_MAX)
    }
    isOver = true
    await Promise.all(streams)
    await operator.close()
  })

  test('a key that another process created is accepted at its first request, on all at once', async () => {
    const all = await replicas(2)
    const operator = otherHandle(database)
    for (let i = 0; i < NEW_KEYS; i++) {
      const { keys } = await addAccount(operator, {})
      const replies = all.map((replica) => replica.get('/providers', keys[0]!))
      expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200])
    }
    const made = await addAccount(operator, { role: 'treasury', keys: 3 })
    expect((await all[0]!.post(row, made.keys[0]!)).status).toBe(201)
    expect((await all[0]!.get('/admin/usage', made.keys[1]!)).status).toBe(200)
    await operator.close()
  })

  test('the quota is shared: units of one key on one replica count for another key on another', async () => {
    const { keys } = await addAccount(database, { plan: 'free', keys: 2 })
    const [first, second] = await replicas(2)
    for (let i = 0; i < 30; i++) expect((await first!.get('/providers', keys[0]!)).status).toBe(200)
    const used = async (replica: Replica) => (await replica.get('/admin/usage', keys[1]!)).body.used
    const isKnown = async () => (await used(second!)) === 30
    expect(await msUntil('the units of the other', isKnown)).toBeLessThan(2 * HEARD_MS_MAX)
    for (let i = 0; i < 20; i++)
      expect((await second!.get('/providers', keys[1]!)).status).toBe(200)
    expect((await second!.get('/providers', keys[1]!)).status).toBe(429)
    await until('the end of the budget', async () => (await used(first!)) === 50)
    expect((await first!.get('/providers', keys[0]!)).status).toBe(429)
  })

  test('two concurrent replicas exceed the quota by at most a tenth', async () => {
    const { id, keys } = await addAccount(database, { plan: 'pro', keys: 2 })
    const all = await replicas(2, { QUOTA_PRO: String(LIMIT) })
    let taken = 0
    await Promise.all(
      all.map(async (replica, i) => {
        for (let status = 200; status === 200; await delay(PACE_MS)) {
          status = (await replica.get('/providers', keys[i]!)).status
          if (status === 200) taken += 1
        }
      }),
    )
    expect(taken).toBeGreaterThanOrEqual(LIMIT)
    expect(taken).toBeLessThanOrEqual(LIMIT * 1.1)
    const isWritten = async () => {
      const [sum] = await database.sql`
        select sum(requests)::int as units from usage where account_id = ${id}`
      return sum?.units === taken
    }
    await until('every unit in the database', isWritten)
  })

  test('a connection that falls silent without closing is noticed, and the changes it missed are served', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const [first] = await replicas(1)
    const proxy = await DatabaseProxy.to(database.url)
    const second = await Replica.start(database, { database: handleAt(database, proxy.port) })
    running.push(second)
    expect(proxy.mute('listen "corridor_news"')).toBe(1)
    expect((await first!.post({ ...row, from: 'USDT' }, keys[0]!)).status).toBe(201)
    const serves = async () => (await bestRate(second, keys[0]!)) === 131.25
    expect(await msUntil('the observation', serves)).toBeLessThan(SILENCE_MS_MAX)
    await until('what the log says of it', async () => second.log.said.length > 1)
    expect(second.log.said).toEqual([
      LOADED,
      'warn: changes of other replicas are no longer announced; reconnecting',
    ])
    running.pop()
    await second.service.stop()
    proxy.close()
  })

  test('what is committed between the load of memory and the first request is served, though not announced', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const [first] = await replicas(1)
    const proxy = await DatabaseProxy.to(database.url)
    const second = await Replica.open(database, { database: handleAt(database, proxy.port) })
    expect(proxy.mute('listen "corridor_news"')).toBe(1)
    expect((await first!.post({ ...row, from: 'USDT' }, keys[0]!)).status).toBe(201)
    await second.service.start()
    expect(await bestRate(second, keys[0]!)).toBe(131.25)
    await second.service.stop()
    proxy.close()
  })

  test('a batch that commits after its response was lost is served nevertheless', async () => {
    const { keys } = await addAccount(database, { role: 'treasury' })
    const proxy = await DatabaseProxy.to(database.url)
    const replica = await Replica.start(database, { database: handleAt(database, proxy.port) })
    running.push(replica)
    const posted = { ...row, from: 'USDT' }
    const before = { ...posted, rate: 1, effective_from: BEFORE }
    expect((await replica.post(before, keys[0]!)).status).toBe(201)
    const holder = otherHandle(database)
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = holder.sql.begin(async (tx) => {
      await tx`select 1 from rollups for update`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const lost = replica.post(posted, keys[0]!)
    await untilWaiting(database, 1)
    proxy.desert()
    expect((await lost).status).toBe(503)
    await until('the database again', async () => {
      const { status } = await fetch(`${replica.service.origin}/readyz`)
      return status === 200
    })
    expect(await bestRate(replica, keys[0]!)).toBe(1)
    await delay(RELOADED_MS)
    released.resolve()
    await holding
    await until('the batch', async () => (await bestRate(replica, keys[0]!)) === 131.25)
    running.pop()
    await replica.service.stop()
    proxy.close()
    await holder.close()
  })
})
