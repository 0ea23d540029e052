import type { Corridor } from '~/domain/corridor.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { currency } from '../support/catalogue.ts'
import { emptyHome, type Home } from './home.ts'
import { pinToServers } from './http/cores.ts'
import { endpointsOf } from './http/endpoints.ts'
import { bestGenerator } from './http/load.ts'
import { type Market, market, QUOTERS } from './http/market.ts'
import { cpuMs, type Measured, measured, medians } from './http/measure.ts'
import { CORRIDOR_OFFERS, offerMarket } from './http/offers.ts'
import { publisherOf } from './http/publisher.ts'
import { inTurn, type Keys, keysOf, LIMITS } from './http/scene.ts'
import { type Running, residentMb, serve } from './process.ts'
import { type Figure, median } from './table.ts'

/** Currency codes for the largest number of corridors. */
const CODES = 65
const ENDPOINTS = ['fetch-one', 'rates', 'convert', 'fetch-multi']

type Sizes = {
  /** Live quotes, from few to many. */
  readonly sizes: readonly number[]
  readonly rounds: number
  readonly seconds: number
  /** Before the first round; 0 for none. */
  readonly warmUpSeconds: number
  readonly batches: number
}

type Stage = {
  readonly liveQuotes: number
  readonly home: Home
  readonly service: Running
  readonly keys: Keys
  readonly market: Market
  /** Memory of the service right after its first response. */
  readonly restingMb: number
}

/**
 * Measures the cost of a request, a recorded row and a live quote as the number of live quotes
 * grows, with 12 in each corridor: the same service at each size, driven in turns; and the cost of
 * 200 offers in each corridor.
 */
export async function scale(dir: string, sizes: Sizes): Promise<Figure[]> {
  const stages: Stage[] = []
  try {
    for (const liveQuotes of sizes.sizes)
      stages.push(await stageOf(`${dir}/${liveQuotes}`, liveQuotes))
    const plain = [...stages]
    const liveOffers = sizes.sizes.at(-1)!
    const offers = await stageOf(`${dir}/offers`, liveOffers, true)
    stages.push(offers)
    return [
      ...(await requestCosts(plain, sizes)),
      ...(await publishCosts(plain, sizes)),
      ...(await offerCosts({ few: plain[0]!, offers }, sizes)),
      ...memoryFigures(plain, offers),
    ]
  } finally {
    for (const { service, home } of stages) {
      await service.stop()
      await home.close()
    }
  }
}

const sourceAt = (i: number): string => `Q${letters(i)}`
const targetAt = (i: number): string => `R${letters(i)}`
const letters = (i: number): string =>
  String.fromCharCode(65 + Math.floor(i / 26)) + String.fromCharCode(65 + (i % 26))

async function stageOf(dataDir: string, liveQuotes: number, isOfOffers = false): Promise<Stage> {
  const home = await emptyHome(dataDir)
  const { database, url } = home
  const codes = Array.from({ length: CODES }, (_, i) => i)
  const all = codes.flatMap((i) =>
    codes.map((j): Corridor => ({ from: sourceAt(i), to: targetAt(j) })),
  )
  const perCorridor = isOfOffers ? CORRIDOR_OFFERS : QUOTERS
  const corridors = all.slice(0, Math.floor(liveQuotes / perCorridor))
  const names = [...codes.map(sourceAt), ...codes.map(targetAt)]
  const nowMs = Date.now()
  const perUsd = Object.fromEntries(names.map((code, i) => [code, 1 + i / 10]))
  const options = { liveQuotes: corridors.length * QUOTERS, depth: 1, nowMs, perUsd }
  const quoted = (isOfOffers ? offerMarket : market)(corridors, options)
  const currencies = names.map((code) => currency(code))
  await createCatalogueStore(database).apply({ currencies, providers: quoted.providers })
  const rates = names.map((code) => ({ currency: code, perUsd: String(perUsd[code]) }))
  await createReferenceStore(database).append({ source: 'bench', fetchedMs: nowMs, rates })
  await importObservations({ database, rows: inTurn(quoted.rows()) })
  await database.sql`vacuum (analyze)`
  const settings = { DATABASE_URL: url, ...LIMITS }
  const keys = await keysOf(database)
  const service = await serve(settings)
  await pinToServers(service.pid)
  await fetch(`${service.url}/corridors`, { headers: { 'x-api-key': keys.realtime } })
  const { now: restingMb } = await residentMb(service.pid)
  return { liveQuotes, home, service, keys, market: quoted, restingMb }
}

const shown = (count: number): string => count.toLocaleString('en')

async function requestCosts(stages: readonly Stage[], sizes: Sizes): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const name of ENDPOINTS) {
    const asked = stages.map((stage) => ({ stage, name }))
    const costs = await cpuMicros(asked, sizes)
    figures.push(...grown(stages, costs, { what: `CPU of GET /${name}`, goal: '0.9 to 1.1' }))
  }
  return figures
}

/** Cost of a request of each kind, in turns. */
async function cpuMicros(
  asked: readonly { readonly stage: Stage; readonly name: string }[],
  { rounds, seconds, warmUpSeconds }: Sizes,
): Promise<number[]> {
  const generator = bestGenerator()
  const targets = Array.from({ length: 20 }, (_, i) => targetAt(i))
  const taken = asked.map(() => [] as Measured[])
  for (let round = warmUpSeconds > 0 ? 0 : 1; round <= rounds; round++)
    for (const [i, { stage, name }] of asked.entries()) {
      const { service, keys, market: quoted } = stage
      const endpoints = endpointsOf({ keys, market: quoted, offers: quoted, sources: [], targets })
      const endpoint = endpoints.find((one) => one.name === name)!
      const { origin } = new URL(service.url)
      const load = { generator, origin, endpoint, perSecond: null }
      const seen = await measured(
        { ...load, seconds: round ? seconds : warmUpSeconds },
        service.pid,
      )
      if (round > 0) taken[i]!.push(seen)
    }
  return taken.map((seen) => medians(seen).cpuMicros)
}

/** Cost of `/convert` if each provider has many offers, and if each has one. */
async function offerCosts(
  { few, offers }: { few: Stage; offers: Stage },
  sizes: Sizes,
): Promise<Figure[]> {
  const asked = [
    { stage: few, name: 'convert' },
    { stage: offers, name: 'convert-offers' },
    { stage: offers, name: 'convert-filtered' },
  ]
  const [plain, chosen, filtered] = (await cpuMicros(asked, sizes)) as [number, number, number]
  const what = `CPU of GET /convert with ${CORRIDOR_OFFERS} offers of ${QUOTERS} providers`
  const beside = { what: `${QUOTERS} plain quotes`, value: plain }
  return [
    { what, value: chosen, unit: 'µs', beside, goal: 'at most 1.3' },
    { what: `${what}, with filters`, value: filtered, unit: 'µs', beside, goal: 'at most 2' },
  ]
}

/** The metric at each size but the first, compared with the first. */
function grown(
  stages: readonly Stage[],
  costs: readonly number[],
  { what, goal }: { what: string; goal: string },
): Figure[] {
  const [few] = stages as readonly [Stage]
  const beside = { what: shown(few.liveQuotes), value: costs[0]! }
  return stages.slice(1).map(({ liveQuotes }, i) => ({
    what: `${what} with ${shown(liveQuotes)} live quotes`,
    value: costs[i + 1]!,
    unit: 'µs',
    beside,
    goal,
  }))
}

async function publishCosts(
  stages: readonly Stage[],
  { rounds, batches }: Sizes,
): Promise<Figure[]> {
  const taken = stages.map(() => [] as number[])
  for (let round = 0; round <= rounds; round++)
    for (const [i, { service, market: quoted, keys }] of stages.entries()) {
      const publisher = publisherOf(service, { market: quoted, key: keys.realtime })
      const before = await cpuMs(service.pid)
      let rows = 0
      for (let batch = 0; batch < batches; batch++) rows += await publisher.publish()
      const spentMs = (await cpuMs(service.pid)) - before
      if (round > 0) taken[i]!.push((spentMs * 1000) / rows)
    }
  const what = 'CPU of a row through POST /rates, batches of 100,'
  return grown(stages, taken.map(median), { what, goal: 'about 1' })
}

function memoryFigures(stages: readonly Stage[], offers: Stage): Figure[] {
  const [few, many] = [stages[0]!, stages.at(-1)!]
  const bytesOf = (stage: Stage) =>
    ((stage.restingMb - few.restingMb) * 1024 * 1024) / (stage.liveQuotes - few.liveQuotes)
  const bytes = bytesOf(many)
  return [
    {
      what: `resident memory of a live quote, from ${shown(few.liveQuotes)} to ${shown(many.liveQuotes)}`,
      value: bytes,
      unit: 'bytes',
      goal: 'at most 2400',
    },
    {
      what: `resident memory of a live offer, from ${shown(few.liveQuotes)} to ${shown(offers.liveQuotes)}`,
      value: bytesOf(offers),
      unit: 'bytes',
      beside: { what: 'a plain quote', value: bytes },
      goal: 'at most 1.3',
    },
  ]
}
