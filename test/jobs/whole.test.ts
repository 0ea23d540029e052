import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { NOW_MS, SpreadProcess, SpreadServers } from './spread-servers.ts'

let servers: SpreadServers

beforeEach(() => {
  servers = new SpreadServers()
})

/** A first commit, which all servers show. */
function beginWhole(): void {
  servers.commit(1)
  servers.show(0)
  servers.show(1)
}

const rows = (position: number) => servers.log.filter((row) => row.position === position)
const ratesOf = async (position: number) =>
  (await servers.whole.quotesOf(rows(position))).get(position)?.map(({ rate }) => rate) ?? null

describe('Whole.quotesOf', () => {
  test('waits for the parts of a commit that appear one after the other', async () => {
    const position = servers.commit(5)
    servers.show(0)
    servers.onPause = async () => servers.show(1)
    expect(await ratesOf(position)).toEqual([5, 5])
    expect(servers.stateOf(position)).toBe(null)
  })

  test('sets aside what stays incomplete, and returns the others', async () => {
    const [half, other] = [servers.commit(5), servers.commit(6, { servers: [0] })]
    servers.show(0)
    let pauses = 0
    servers.onPause = async () => void pauses++
    const found = await servers.whole.quotesOf(servers.log)
    expect(found.get(half)).toBe(null)
    expect(found.get(other)).toHaveLength(1)
    expect(pauses).toBeGreaterThan(5)
    expect([half, other].map(servers.stateOf)).toEqual(['aside', null])
  })

  test('sets aside at once what another process did', async () => {
    const position = servers.commit(5)
    await servers.changes.setAside(position)
    servers.show(0)
    servers.show(1)
    expect(await ratesOf(position)).toBe(null)
  })

  test('does not wait for a server that is unreachable, and reads what the others have', async () => {
    const [half, other] = [servers.commit(5), servers.commit(6, { servers: [0] })]
    servers.show(0)
    servers.away.add(1)
    servers.onPause = async () => expect.unreachable()
    const found = await servers.whole.quotesOf(servers.log)
    expect([found.get(half), found.get(other)?.length]).toEqual([null, 1])
  })

  test('does not query a server that is unreachable again while it waits for another', async () => {
    servers.commit(5, { servers: [0] })
    servers.commit(6, { servers: [1] })
    servers.away.add(1)
    let asked = 0
    const { ofChanges } = servers.quotes
    servers.quotes.ofChanges = async (changes) => {
      if (changes.some(({ spread }) => spread!.corridorIds.includes(1))) asked++
      return ofChanges(changes)
    }
    const found = await servers.whole.quotesOf(servers.log)
    expect([...found.values()]).toEqual([null, null])
    expect(asked).toBe(2)
  })

  test('sets aside even what was seen before, if its server is unreachable', async () => {
    const position = servers.commit(5)
    await servers.changes.settle([position])
    servers.away.add(1)
    expect(await ratesOf(position)).toBe(null)
    expect(servers.stateOf(position)).toBe('aside')
  })

  test('treats rows as deleted that are missing of what was seen whole before', async () => {
    const position = servers.commit(5)
    await servers.changes.settle([position])
    servers.show(0)
    expect(await ratesOf(position)).toEqual([5])
  })

  test('waits for an import that names no rows until each corridor shows its part', async () => {
    const position = servers.commit(5, { isNamed: false })
    servers.show(0)
    expect(await ratesOf(position)).toBe(null)
    const next = servers.commit(6, { isNamed: false })
    servers.show(1)
    servers.show(0)
    expect(await ratesOf(next)).toEqual([])
  })
})

const live = async () => (await servers.whole.live(NOW_MS)).map(({ to, rate }) => `${to} ${rate}`)

describe('Whole.live', () => {
  beforeEach(async () => {
    beginWhole()
    await servers.whole.look()
  })

  test('has complete commits made during the load', async () => {
    servers.onLoad = async () => {
      servers.commit(2)
      servers.show(0)
      servers.show(1)
      servers.onLoad = async () => {}
    }
    expect(await live()).toEqual(expect.arrayContaining(['KES 2', 'NGN 2']))
  })

  test('has commits made just before the load completely or not at all', async () => {
    servers.onUnseen = async () => {
      servers.commit(2)
      servers.show(0)
      servers.onUnseen = async () => {}
    }
    expect(await live()).toEqual(['KES 1', 'NGN 1'])
  })

  test('omits incomplete commits made before or during the load', async () => {
    servers.commit(2)
    servers.show(0)
    expect(await live()).toEqual(['KES 1', 'NGN 1'])
    servers.onLoad = async () => {
      servers.commit(3)
      servers.show(0)
      servers.onLoad = async () => {}
    }
    expect(await live()).toEqual(['KES 1', 'NGN 1'])
  })

  test('reads again because of an import during the load, and leaves out an incomplete one', async () => {
    servers.onLoad = async () => {
      servers.commit(2, { isNamed: false })
      servers.show(0)
      servers.show(1)
      servers.onLoad = async () => {}
    }
    expect(await live()).toEqual(['KES 2', 'NGN 2'])
    servers.commit(3, { isNamed: false })
    servers.show(0)
    expect(await live()).toEqual(['KES 2', 'NGN 2'])
  })

  test('omits a commit that is also on a server that is unreachable', async () => {
    servers.away.add(0)
    servers.commit(5)
    servers.show(0)
    servers.show(1)
    expect(await live()).toEqual(['NGN 1'])
  })
})

describe('Whole.look', () => {
  test('reports a commit again that was set aside once it is complete, and once only', async () => {
    const position = servers.commit(5)
    await servers.changes.setAside(position)
    servers.away.add(1)
    expect(await servers.whole.look()).toBe(1)
    servers.away.clear()
    servers.show(0)
    expect(await servers.whole.look()).toBe(1)
    expect(servers.log).toHaveLength(1)
    servers.show(1)
    expect(await Promise.all([servers.whole.look(), servers.whole.look()])).toEqual([0, 0])
    expect(servers.log.map(({ spread }) => spread!.state)).toEqual([null, 'again'])
  })

  test('waits for the part of a server that was unreachable for hours, and is back before its part', async () => {
    const position = servers.commit(5)
    await servers.changes.setAside(position)
    servers.show(0)
    expect(await servers.whole.look()).toBe(1)
    servers.away.add(1)
    expect(await servers.whole.look()).toBe(1)
    servers.nowMs += 2 * HOUR_MS
    servers.away.clear()
    expect(await servers.whole.look()).toBe(1)
    expect(servers.stateOf(position)).toBe('aside')
    servers.show(1)
    expect(await servers.whole.look()).toBe(0)
    expect(servers.log.map(({ spread }) => spread!.state)).toEqual([null, 'again'])
  })

  test('treats rows as deleted that every server has lacked for an hour', async () => {
    const position = servers.commit(5)
    servers.show(0)
    expect(await servers.whole.look()).toBe(1)
    servers.nowMs += HOUR_MS
    expect(await servers.whole.look()).toBe(1)
    servers.nowMs += 1
    expect(await servers.whole.look()).toBe(0)
    expect(servers.stateOf(position)).toBe(null)
  })

  test('marks what was seen whole, and does not look at it again', async () => {
    servers.commit(5)
    expect(await servers.whole.look()).toBe(1)
    servers.show(0)
    servers.show(1)
    expect(await servers.whole.look()).toBe(0)
    expect(await servers.changes.unseen(1)).toEqual([])
  })
})

describe('a process', () => {
  test('continues without an incomplete commit, and reports a gap to its readers once it is whole', async () => {
    beginWhole()
    const process = await new SpreadProcess(servers).start()
    const half = servers.commit(2)
    servers.show(0)
    await process.receive(half)
    expect(process.rates).toEqual([1, 1])
    const next = servers.commit(3, { servers: [0] })
    servers.show(0)
    await process.receive(next)
    expect(process.rates).toEqual([3, 1])
    expect(process.steps.map(({ position }) => position)).toEqual([next])
    servers.show(1)
    await servers.whole.look()
    const again = servers.log.at(-1)!.position
    await process.receive(again)
    expect(process.rates).toEqual([3, 2])
    expect(process.gaps.at(-1)).toBe(again)
  })

  test('starts without what is on a server that is unreachable, and completes it when it is back', async () => {
    beginWhole()
    await servers.whole.look()
    servers.away.add(1)
    const process = await new SpreadProcess(servers).start()
    const without = [1, undefined]
    expect(process.rates).toEqual(without)
    expect([...process.memory.current.unloaded!]).toEqual(['USD/NGN'])
    servers.away.clear()
    const position = servers.commit(2, { servers: [1] })
    servers.show(1)
    await process.receive(position)
    expect(process.rates).toEqual(without)
    await process.follower.check()
    expect(process.rates).toEqual([1, 2])
    expect(process.memory.current.unloaded!.size).toBe(0)
    expect(process.gaps).toHaveLength(2)
  })

  test('loads the corridors of a server that is back alone, and leaves others unloaded', async () => {
    beginWhole()
    await servers.whole.look()
    servers.away.add(0).add(1)
    const process = await new SpreadProcess(servers).start()
    servers.away.delete(1)
    servers.loads.length = 0
    await process.follower.check([{ id: 1, from: 'USD', to: 'NGN' }])
    expect(servers.loads).toEqual([['USD/NGN']])
    expect(process.rates).toEqual([undefined, 1])
    expect([...process.memory.current.unloaded!]).toEqual(['USD/KES'])
    servers.away.clear()
    await process.follower.check([{ id: 0, from: 'USD', to: 'KES' }])
    expect(process.rates).toEqual([1, 1])
    expect(process.memory.current.unloaded!.size).toBe(0)
  })

  test('is not behind while what it serves cannot be loaded again, and loads it later', async () => {
    beginWhole()
    await servers.whole.look()
    servers.away.add(1)
    const process = await new SpreadProcess(servers).start()
    const { follower } = process
    servers.away.clear()
    servers.isRefusing = true
    await follower.check([{ id: 1, from: 'USD', to: 'NGN' }])
    await follower.check()
    await follower.caughtUp()
    expect([follower.isFailing, follower.isBehind, follower.isUnchecked]).toEqual([
      false,
      false,
      true,
    ])
    await process.receive(servers.commit(3, { servers: [0] }))
    expect(process.rates).toEqual([1, undefined])
    servers.isRefusing = false
    servers.show(0)
    await follower.caughtUp()
    expect(process.rates).toEqual([1, 1])
    expect(follower.isUnchecked).toBe(false)
  })

  test('is behind while a gap cannot be loaded', async () => {
    beginWhole()
    const { follower } = await new SpreadProcess(servers).start()
    servers.isRefusing = true
    await follower.lose()
    expect([follower.isFailing, follower.isBehind]).toEqual([true, true])
    servers.isRefusing = false
    await follower.caughtUp()
    expect([follower.isFailing, follower.isBehind]).toEqual([false, false])
  })

  test('shows an import on others at once while a server is unreachable', async () => {
    beginWhole()
    const process = await new SpreadProcess(servers).start()
    servers.away.add(1)
    const position = servers.commit(2, { servers: [0], isNamed: false })
    servers.show(0)
    await process.receive(position)
    expect(process.rates).toEqual([2, 1])
  })

  test('keeps what it had of a server that becomes unreachable', async () => {
    beginWhole()
    const process = await new SpreadProcess(servers).start()
    servers.away.add(1)
    servers.commit(2, { servers: [0] })
    servers.show(0)
    await process.follower.check()
    expect(process.rates).toEqual([2, 1])
    expect(process.memory.current.unloaded!.size).toBe(0)
  })

  test('starts without an incomplete import that came while it loaded', async () => {
    beginWhole()
    const process = new SpreadProcess(servers)
    servers.onLoad = async () => {
      servers.commit(2, { isNamed: false })
      servers.show(0)
      servers.onLoad = async () => {}
    }
    await process.follower.begin()
    expect(process.rates).toEqual([1, 1])
  })

  test('shows a commit whole or not at all, in whatever order its parts appear', async () => {
    const deeds = fc.constantFrom(
      ...(['commit', 'import', 'show 0', 'show 1', 'leave 1', 'return 1'] as const),
      ...(['receive', 'reload', 'look', 'lose', 'pause'] as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { maxLength: 40 }), async (plan) => {
        servers = new SpreadServers()
        beginWhole()
        const watched = await new SpreadProcess(servers).start()
        let rate = 1
        const during: (() => void)[] = []
        servers.onPause = async () => during.shift()?.()
        servers.onLoad = async () => during.shift()?.()
        const isSame = () => {
          const [kes, ngn] = watched.rates
          expect(kes).toBe(ngn)
        }
        const end = ['return 1', 'show 0', 'show 1', 'look', 'receive'] as const
        for (const deed of [...plan, 'quiet', ...end] as const) {
          if (deed === 'commit') servers.commit(++rate)
          else if (deed === 'import') servers.commit(++rate, { isNamed: false })
          else if (deed === 'show 0') servers.show(0)
          else if (deed === 'show 1') servers.show(1)
          else if (deed === 'leave 1') servers.away.add(1)
          else if (deed === 'return 1') servers.away.delete(1)
          else if (deed === 'receive') {
            for (const { position } of servers.log.slice()) await watched.receive(position)
          } else if (deed === 'reload') await watched.follower.check()
          else if (deed === 'look') await servers.whole.look()
          else if (deed === 'lose') await watched.follower.lose()
          else if (deed === 'quiet') during.length = 0
          else
            during.push(
              () => void servers.commit(++rate),
              () => servers.show(rate % 2),
            )
          isSame()
        }
        await watched.follower.caughtUp()
        expect(watched.rates).toEqual([rate, rate])
      }),
    )
  })
})
