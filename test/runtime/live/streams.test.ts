import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { EVERYWHERE } from '~/domain/live/subscription.ts'
import { BASE_PATH } from '~/http/path.ts'
import { StreamHub } from '~/service/stream/hub.ts'
import { streamTexts } from '~/wire/stream/text.ts'
import { observation, otherHandle, stockedDatabase } from '../../store/samples.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { LiveReplica } from './live-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const COMMITS = 40

let database: FreshDatabase
let running: LiveReplica[] = []

beforeEach(async () => {
  database = await stockedDatabase()
})
afterEach(async () => {
  await Promise.all(running.map((replica) => replica.stop()))
  running = []
  await database.close()
})

async function started() {
  const replica = await LiveReplica.start(otherHandle(database))
  running.push(replica)
  const { core, clock } = replica
  const hub = new StreamHub({
    live: core.live,
    limits: { midMaxAgeMs: 1e9, quoteMaxAgeMs: null, staleAfterMs: null },
    texts: streamTexts(BASE_PATH),
    now: () => clock.now(),
  })
  return { replica, hub }
}

/** A reader of everything, and the blocks that it received, without the hello. */
function reading(hub: StreamHub, lastEventId: string | null = null) {
  const blocks: string[] = []
  const write = (text: string) => blocks.push(...text.split('\n\n').slice(0, -1)) > 0
  const sink = { write, end() {} }
  const reader = hub.open({ tier: 'realtime', subscription: EVERYWHERE, lastEventId, sink })
  const [hello] = blocks.splice(0, 1)
  return { reader, blocks, hello: hello! }
}

const idOf = (block: string): string => /^id: (.*)$/m.exec(block)![1]!

describe('a stream over two processes on one database', () => {
  test('is the same in both, and continues in the other after it was cut off', async () => {
    const [first, second] = [await started(), await started()]
    const stayed = reading(first.hub)
    const left = reading(second.hub)
    const all = () => stayed.blocks.filter((block) => block.includes('event: quote'))
    const record = async (from: number, count: number) => {
      for (let i = from; i < from + count; i++)
        await (i % 2 ? first : second).replica.record(observation({ rate: `${100 + i}` }))
    }
    await record(0, COMMITS)
    await until('all that was recorded', async () => all().length === COMMITS)
    await until('the other process', async () => left.blocks.length === stayed.blocks.length)
    expect(left.blocks).toEqual(stayed.blocks)

    left.reader.close()
    const cut = Math.floor(left.blocks.length / 3)
    await record(COMMITS, COMMITS)
    const back = reading(first.hub, idOf(left.blocks[cut - 1]!))
    await until('all that was recorded', async () => all().length === 2 * COMMITS)
    await until('the rest', async () => cut + back.blocks.length === stayed.blocks.length)
    expect([...left.blocks.slice(0, cut), ...back.blocks]).toEqual(stayed.blocks)
    expect(back.hello).toContain('"resumed":true')
    expect(new Set(stayed.blocks.map(idOf)).size).toBe(stayed.blocks.length)
  })

  test('recognises the start of a later process, and gets a reset from before it', async () => {
    const first = await started()
    const stayed = reading(first.hub)
    await first.replica.record(observation({ rate: '101' }))
    await until('the first', async () => stayed.blocks.length === 2)
    const second = await started()
    const later = reading(second.hub)
    expect(reading(first.hub, idOf(later.hello)).hello).toContain('"resumed":true')
    const old = reading(second.hub, idOf(stayed.hello))
    expect(old.blocks[0]).toContain('"reason":"too_old"')
  })
})
