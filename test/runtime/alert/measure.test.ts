import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { LiveMemory } from '~/memory/live/live.ts'
import { Memory } from '~/memory/memory.ts'
import { AlertEvaluation } from '~/runtime/alert/evaluation.ts'
import { createAlert } from '~/service/alert/create.ts'
import { listAlerts } from '~/service/alert/list.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { AlertWorld, WISH } from '../../service/alert/alert-world.ts'
import { LIMITS } from '../../service/alert/replica.ts'
import { observation, stockedDatabase } from '../../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { KeptLog } from '../../support/log.ts'
import { pastOf } from '../../support/past.ts'
import type { FreshDatabase } from '../../support/postgres.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
})

afterAll(() => database.close())

describe('moves over a period', () => {
  test('are measured from the value that long ago, as time passes', async () => {
    const world = new AlertWorld(database, { past: pastOf(database) })
    const { clock } = world
    const observed = createObservationStore(database, clock)
    const rows = [100, 110].map((rate, i) =>
      observation({ rate: String(rate), effectiveMs: clock.now() - (1.5 - i) * DAY_MS }),
    )
    await observed.record({ observations: rows, idempotency: null })
    const account = await world.account('enterprise')
    world.quote(104)
    const when = { field: 'best', op: 'moves_pct', value: 5, periodMs: DAY_MS } as const
    const { alert } = await createAlert(world.deps, { account, wish: { ...WISH, when } })
    expect(alert.standing).toEqual({ isTrue: false, base: 100 })

    const memory = new Memory()
    const live = new LiveMemory(memory)
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    const access = { accounts: [account], keys: [] }
    memory.publish({ catalogue, access }, clock.now())
    const quotes = [...world.memory.current.quotes.allQuotes()]
    memory.publish({ quotes }, clock.now())
    live.begin({ position: 50, atMs: clock.now(), hourMs: null })
    const past = pastOf(database)
    const places = { database, clock, memory, live, past, ageLimits: LIMITS }
    const evaluation = new AlertEvaluation({ ...places, log: new KeptLog() })
    await evaluation.read(null)
    clock.advance(0.75 * DAY_MS)
    await evaluation.jobs.find(({ name }) => name === 'measure-alerts')!.run()
    await evaluation.read(null)
    await evaluation.stop()
    const [listed] = await listAlerts(world.deps, { account })
    expect(listed!.standing).toEqual({ isTrue: true, base: 110 })
    const [delivery] = await world.deps.deliveries.list(alert.id)
    expect(JSON.parse(delivery!.body).data).toMatchObject({ field: 'best', value: 104 })
  })
})
