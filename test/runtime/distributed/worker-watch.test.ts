import { beforeEach, describe, expect, test } from 'bun:test'
import { WorkerWatch } from '~/runtime/distributed/worker-watch.ts'
import { KeptLog } from '../../support/log.ts'

const NODES = [1, 2].map((group) => ({ group, host: 'worker', port: 5000 + group }))
const CORRIDORS = [
  { id: 10, group: 1 },
  { id: 11, group: 2 },
  { id: 12, group: 2 },
]

let away: Set<number>
let asked: number
let backs: number
let log: KeptLog
let watch: WorkerWatch

beforeEach(() => {
  away = new Set()
  ;[asked, backs] = [0, 0]
  log = new KeptLog()
  const store = {
    nodes: async () => NODES,
    ask: async ({ group }: { group: number }) => {
      asked++
      if (away.has(group)) throw new Error('away')
    },
    corridorIdsOn: async (groups: readonly number[]) =>
      CORRIDORS.filter(({ group }) => groups.includes(group)).map(({ id }) => id),
  }
  watch = new WorkerWatch({ store, log, onBack: () => void backs++ })
})

describe('WorkerWatch', () => {
  test('knows how many servers are away, and how many corridors with them', async () => {
    await watch.look()
    expect(watch.figures).toEqual({ workers: 2, away: 0, corridors: 0 })
    expect(await watch.reachable()).toBe(null)
    away.add(2)
    await watch.look()
    expect(watch.figures).toEqual({ workers: 2, away: 1, corridors: 2 })
    expect(await watch.reachable()).toEqual([10])
    expect(asked).toBe(8)
  })

  test('tells once that all are back, even if nobody looked while one was away', async () => {
    away.add(1)
    expect(await watch.reachable()).toEqual([11, 12])
    away.clear()
    await watch.look()
    await watch.look()
    expect(backs).toBe(1)
    expect(watch.figures).toEqual({ workers: 2, away: 0, corridors: 0 })
  })

  test('tells nobody while one is still away', async () => {
    away.add(1).add(2)
    await watch.look()
    away.delete(1)
    await watch.look()
    expect(backs).toBe(0)
    expect(log.said.filter((line) => line.includes('away'))).toHaveLength(1)
  })
})
