import { MINUTE_MS } from '~/domain/duration.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { inArrays } from '../../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import type { HandClock } from '../../support/clock.ts'
import { EventReader } from '../../support/event-reader.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import type { Replica } from '../replica-scene.ts'

const MIDS = { 'USD/KES': 130, 'GBP/KES': 170, 'EUR/KES': 150 } as const
type Name = keyof typeof MIDS
const NAMES = Object.keys(MIDS) as Name[]
/** The longest time until a reader has the changes of a step. */
const STEP_MS_MAX = 5_000

// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
type Body = any
type Corridor = { prices: Map<string, unknown>; mid: unknown; best: unknown }

/** Fields of an entry that do not follow from other events. */
function ownOf(entry: Body): object {
  const { corridor, spread_bps, vs_mid_bps, timestamp, data_freshness, sample, ...own } = entry
  return own
}

/**
 * A client that requests prices once, stores them by `offer_id`, and applies each event from then
 * on.
 */
class KeptState {
  readonly #known = new Map<string, Corridor>()
  #applied = 0

  constructor(private readonly reader: EventReader) {}

  /** State of a corridor, in the form of `asked`. */
  of(name: Name, first: () => Corridor): Corridor {
    const known = this.#known.get(name) ?? first()
    this.#known.set(name, known)
    return known
  }

  apply(): void {
    for (const { name, data } of this.reader.events.slice(this.#applied)) {
      const corridor = this.#known.get(data.corridor)
      if (name === 'quote') corridor!.prices.set(data.offer_id, ownOf(data))
      if (name === 'gone') corridor!.prices.delete(data.offer_id)
      if (name === 'mid') corridor!.mid = data.mid_rate ?? null
      if (name === 'best') corridor!.best = data.best?.offer_id ?? null
    }
    this.#applied = this.reader.events.length
  }
}

/** Numbers from 0 to below `count`, the same in each run. */
function choices(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

type Run = {
  readonly database: FreshDatabase
  readonly replicas: readonly [Replica, Replica]
  readonly clock: HandClock
  /** The key of a treasury account with the enterprise plan. */
  readonly key: string
  readonly steps: number
}

/**
 * Changes prices, the catalogue and references at random through one replica, and after each step
 * compares a client's state by the events of the other with that one's `/rates`.
 */
export async function keptStateRun({ database, replicas, clock, key, steps }: Run) {
  const pick = choices(1)
  const [writer, other] = replicas
  const { origin } = other.service
  const stream = await fetch(`${origin}/api/v1/stream?corridors=${NAMES.join()}`, {
    headers: { 'x-api-key': key },
  })
  const reader = new EventReader(stream)
  await reader.event('hello')
  const kept = new KeptState(reader)
  const counts = { posts: 0, catalogues: 0, imports: 0, expiries: 0, differences: 0 }
  const asked = async (name: Name): Promise<Corridor> => {
    const pair = `from=${name.slice(0, 3)}&to=${name.slice(4)}`
    const [rates, fetched] = await Promise.all([
      other.get(`/rates?${pair}&offers=all`, key),
      other.get(`/fetch-one?${pair}`, key),
    ])
    if (rates.status === 400) return { prices: new Map(), mid: null, best: null }
    const entries = rates.body.providers.map((one: Body) => [one.offer_id, ownOf(one)])
    const best = fetched.body.provider_best?.offer_id ?? null
    return { prices: new Map(entries), mid: rates.body.mid_rate ?? null, best }
  }
  const isSame = async () => {
    for (const name of NAMES) {
      const truth = await asked(name)
      kept.apply()
      if (
        !Bun.deepEquals(
          kept.of(name, () => truth),
          truth,
        )
      )
        return false
    }
    return true
  }
  await isSame()
  for (let step = 0; step < steps; step++) {
    const turn = pick(20)
    if (turn < 16) await post()
    else if (turn === 16 || turn === 17) await catalogue()
    else if (turn === 18) await references()
    else {
      clock.set(new Date(clock.now() + MINUTE_MS).toISOString())
      counts.expiries++
    }
    const startMs = performance.now()
    await until('the step', async () => {
      if (await isSame()) return true
      if (performance.now() - startMs < STEP_MS_MAX) return false
      counts.differences++
      return true
    })
  }
  const resets = reader.names.filter((name) => name === 'reset').length
  return { ...counts, resets, events: reader.events.length }

  async function post(): Promise<void> {
    const name = NAMES[pick(NAMES.length)]!
    const terms: object[] = [
      {},
      { fee_percent: 1 + pick(3) },
      { valid_until: new Date(clock.now() + pick(3) * MINUTE_MS + 30_000).toISOString() },
      { target_country: 'KE', pay_out: ['mobile_money'] },
      { amount_min: 100, amount_max: 100 + 100 * pick(3) },
    ]
    const row = {
      provider_id: ['retail-a', 'retail-b', 'p2p-a', 'official-a'][pick(4)],
      ...{ from: name.slice(0, 3), to: name.slice(4) },
      rate: Number((MIDS[name] * (0.9 + pick(250) / 1000)).toFixed(3)),
      ...(pick(2) === 0 && { fee: pick(5) }),
      ...(pick(4) === 0 && {
        effective_from: new Date(clock.now() - pick(90) * MINUTE_MS).toISOString(),
      }),
      ...terms[pick(terms.length)],
    }
    const { status } = await writer.post(row, key)
    if (status === 201) counts.posts++
  }

  async function catalogue(): Promise<void> {
    const off = ['retail-a', 'p2p-a', null, null][pick(4)]
    const currencyOff = ['GBP', 'KES', null, null, null][pick(5)]
    const peg = [{ to: 'USD', rate: 0.9 }, { to: 'GBP', rate: 1.15 }, null][pick(3)]!
    await createCatalogueStore(database).apply({
      providers: PROVIDERS.map((one) => ({ ...one, isActive: one.id !== off })),
      currencies: CURRENCIES.map((one) => ({
        ...one,
        isActive: one.code !== currencyOff,
        ...(one.code === 'EUR' && { peg }),
      })),
    })
    counts.catalogues++
  }

  async function references(): Promise<void> {
    const currency = ['KES', 'GBP', 'RWF'][pick(3)]!
    const perUsd = { KES: 130, GBP: 0.765, RWF: 1400 }[currency]! * (1 + pick(30) / 1000)
    const fetchedMs = clock.now() - pick(240) * MINUTE_MS
    const rows = inArrays([{ fetchedMs, source: 'feed', currency, perUsd: perUsd.toFixed(4) }])
    await importReferences({ database, rows })
    counts.imports++
  }
}
