import { beforeEach, describe, expect, test } from 'bun:test'
import { WorkerWatch } from '~/runtime/distributed/worker-watch.ts'
import { KeptLog } from '../../support/log.ts'

const NODES = [1, 2].map((group) => ({ group, host: 'worker', port: 5000 + group }))
const CORRIDORS = [
  { id: 10, from: 'USD', to: 'KES', group: 1 },
  { id: 11, from: 'USD', to: 'NGN', group: 2 },
  { id: 12, from: 'USD', to: 'GHS', group: 2 },
]

let away: Set<number>
let asked: number
let backs: number[][]
let isFailing: boolean
let onAsk: () => void
let log: KeptLog
let watch: WorkerWatch

beforeEach(() => {
  away = new Set()
  ;[asked, backs, isFailing] = [0, [], false]
  onAsk = () => {}
  log = new KeptLog()
  const store = {
    nodes: async () => NODES,
    ask: async ({ group }: { group: number }) => {
      asked++
      const isAway = away.has(group)
      onAsk()
      if (isAway) throw new Error('away')
    },
    corridorsOn: async (groups: readonly number[]) =>
      CORRIDORS.filter(({ group }) => groups.includes(group)),
  }
  const onBack = async (corridors: readonly { readonly id: number }[]) => {
    backs.push(corridors.map(({ id }) => id))
    if (isFailing) throw new Error('not loaded')
  }
  watch = new WorkerWatch({ store, log, onBack })
})

describe('WorkerWatch', () => {
  test('counts the servers that are unreachable, and the corridors on them', async () => {
    await watch.look()
    expect(watch.figures).toEqual({ workers: 2, away: 0, corridors: 0 })
    expect(await watch.divided()).toBe(null)
    away.add(2)
    await watch.look()
    expect(watch.figures).toEqual({ workers: 2, away: 1, corridors: 2 })
    const [first, ...others] = CORRIDORS
    expect(await watch.divided()).toEqual({ here: [first!], away: others })
    expect(asked).toBe(10)
  })

  test('counts no server as unreachable that responds to a second request', async () => {
    away.add(2)
    onAsk = () => void (asked === 2 && away.clear())
    expect(await watch.divided()).toBe(null)
    expect(asked).toBe(4)
    expect(watch.isAnyAway([11])).toBe(false)
  })

  test('reports by id whether any of several corridors is on an unreachable server', async () => {
    away.add(2)
    await watch.look()
    expect([[10], [10, 12], []].map((ids) => watch.isAnyAway(ids))).toEqual([false, true, false])
    away.clear()
    await watch.look()
    expect(watch.isAnyAway([10, 11, 12])).toBe(false)
  })

  test('reports once that a server is back, even if it was never seen unreachable', async () => {
    away.add(1)
    await watch.divided()
    away.clear()
    await watch.look()
    await watch.look()
    expect(backs).toEqual([[10]])
    expect(watch.figures).toEqual({ workers: 2, away: 0, corridors: 0 })
  })

  test('reports that a server is back while another is still unreachable', async () => {
    away.add(1).add(2)
    await watch.look()
    expect(backs).toEqual([])
    away.delete(1)
    await watch.look()
    await watch.look()
    expect(backs).toEqual([[10]])
    away.clear()
    await watch.look()
    expect(backs).toEqual([[10], [11, 12]])
    expect(log.said.filter((line) => line.includes('unreachable'))).toHaveLength(1)
  })

  test('reports again if the reaction failed', async () => {
    away.add(1)
    await watch.look()
    away.clear()
    isFailing = true
    expect(watch.look()).rejects.toThrow('not loaded')
    isFailing = false
    await watch.look()
    await watch.look()
    expect(backs).toEqual([[10], [10]])
  })

  test('checks each second while one is awaited, and each five seconds otherwise', async () => {
    const [often, soon] = ['*/5 * * * * *', '* * * * * *'].map(
      (pattern) => watch.jobs.find((job) => job.pattern === pattern)!,
    )
    await soon!.run()
    expect(asked).toBe(0)
    away.add(1)
    await often!.run()
    expect(asked).toBe(4)
    await soon!.run()
    expect(asked).toBe(6)
    away.clear()
    await soon!.run()
    expect(backs).toEqual([[10]])
    await soon!.run()
    expect(asked).toBe(8)
  })
})
