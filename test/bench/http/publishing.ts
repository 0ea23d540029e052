import { type Figure, median } from '../table.ts'
import { endpointsOf } from './endpoints.ts'
import type { GeneratorName } from './load.ts'
import { type Measured, measured, medians } from './measure.ts'
import { type Publisher, publisherOf, rowsPerSecond } from './publisher.ts'
import type { Scene } from './scene.ts'

/** Pause between batches, for 1,000 rows a second. */
const PACE_MS = 100

type Sizes = {
  readonly rounds: number
  readonly seconds: number
  readonly generator: GeneratorName
}

/** `GET /rates` at full load alone and while batches of 100 rows are recorded, in turns. */
export async function publishing(scene: Scene, sizes: Sizes): Promise<Figure[]> {
  const endpoint = endpointsOf(scene).find(({ name }) => name === 'rates')!
  const { service, market, keys } = scene
  const publisher = publisherOf(service, { market, key: keys.realtime })
  const { origin } = new URL(service.url)
  const { rounds, ...driving } = sizes
  const reads = () => measured({ ...driving, origin, endpoint, perSecond: null }, service.pid)
  const alone: Measured[] = []
  const paced = { reads: [] as Measured[], rows: [] as number[] }
  const steady = { reads: [] as Measured[], rows: [] as number[] }
  const quiet: number[] = []
  await reads()
  for (let round = 0; round < rounds; round++) {
    alone.push(await reads())
    for (const [pauseMs, kept] of [[PACE_MS, paced] as const, [0, steady] as const]) {
      const { seen, rows } = await beside(reads, publisher, pauseMs)
      kept.reads.push(seen)
      kept.rows.push(rows)
    }
    const during = Bun.sleep(sizes.seconds * 1000)
    quiet.push(await rowsPerSecond(publisher, { pauseMs: 0, during }))
  }
  return figuresOf({ alone, paced: paced.reads, steady, quiet })
}

async function beside(reads: () => Promise<Measured>, publisher: Publisher, pauseMs: number) {
  const during = reads()
  const rows = await rowsPerSecond(publisher, { pauseMs, during })
  return { seen: await during, rows }
}

type Taken = {
  readonly alone: readonly Measured[]
  readonly paced: readonly Measured[]
  readonly steady: { readonly reads: readonly Measured[]; readonly rows: readonly number[] }
  readonly quiet: readonly number[]
}

function figuresOf({ alone, paced, steady, quiet }: Taken): Figure[] {
  const before = medians(alone)
  const p99 = (what: string, seen: readonly Measured[], goal: string): Figure => ({
    what: `GET /rates at full load while ${what}, p99`,
    value: medians(seen).p99Ms,
    unit: 'ms',
    beside: { what: 'while nothing is', value: before.p99Ms },
    goal,
  })
  return [
    p99('1,000 rows/s are recorded', paced, 'at most 1.5'),
    p99('batches are recorded one after another', steady.reads, 'at most 3'),
    {
      what: 'GET /rates at full load while batches are recorded one after another',
      value: medians(steady.reads).perSecond,
      unit: 'req/s',
      beside: { what: 'while nothing is', value: before.perSecond },
    },
    {
      what: 'rows recorded by one client during full read load',
      value: median(steady.rows),
      unit: 'rows/s',
      beside: { what: 'without readers', value: median(quiet) },
    },
  ]
}
