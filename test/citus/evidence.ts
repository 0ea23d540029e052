import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemClock } from '~/clock.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { entriesOf } from '~/evidence/bundle.ts'
import { checkpointOf } from '~/evidence/checkpoint.ts'
import { isSignedBy, noteKeyOf } from '~/evidence/note.ts'
import { noteOf } from '~/evidence/note-text.ts'
import { proofOf } from '~/evidence/proof.ts'
import { TILE_WIDTH, widthIn } from '~/evidence/tile.ts'
import { includes, leafHash } from '~/evidence/tree.ts'
import { Spread } from '~/runtime/distributed/spread.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { expectSame, type Given, historyOf, iso } from '../contract/known-law.ts'
import { KnownWorld } from '../contract/known-world.ts'
import { addAccount, Replica } from '../runtime/replica-scene.ts'
import { otherHandle } from '../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { corridor, documentOf } from '../support/command.ts'
import { KeptLog } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { type Cluster, openCluster, programsWithCitus } from './cluster.ts'

/** The number of histories and of their events; many more by the environment. */
const HISTORIES = Number(process.env.KNOWN_HISTORIES ?? 2)
const EVENTS = Number(process.env.KNOWN_EVENTS ?? 25)
const HISTORY_MS_MAX = 120_000
const SEAL_MS = 10_000
const CATALOGUE = { currencies: [...CURRENCIES], providers: [...PROVIDERS] }

/** A database of one server or of a cluster, with a history by the test's clock. */
type Side = { readonly database: FreshDatabase; readonly world: KnownWorld }

let cluster: Cluster
let sides: readonly Side[]

beforeAll(async () => {
  const programs = programsWithCitus()
  if (!programs) throw new Error('no installed PostgreSQL has the extension citus')
  cluster = await openCluster({ programs })
  for (const args of [['migrate'], ['distribute', '--shards', '8']])
    documentOf(await corridor([...args, '--json'], cluster.url))
  const handle = { ...otherHandle(cluster), url: cluster.url }
  sides = [await sideOf(await freshDatabase()), await sideOf(handle)]
}, 120_000)
afterAll(async () => {
  for (const { database } of sides ?? []) await database.close()
  await cluster?.close()
})

async function sideOf(database: FreshDatabase): Promise<Side> {
  const spread = await Spread.of({ database, clock: systemClock, log: new KeptLog() })
  const world = await KnownWorld.start(database, spread)
  await world.neverLate()
  await world.catalogue(CATALOGUE)
  return { database, world }
}

/** A response without ids, which a cluster and one server may give out with different gaps. */
const textOf = ({ status, body }: Given['reply']) =>
  `${status} ${JSON.stringify(body).replace(/"id":\d+/g, '"id":0')}`

describe('one history on one server and on a cluster', () => {
  test(
    'gets the same responses, and with known_at those of each time',
    async () => {
      let answers = 0
      await fc.assert(
        fc.asyncProperty(historyOf(EVENTS), async (moments) => {
          const given = sides.map(() => [] as Given[])
          for (const { event: happens, questions } of moments)
            for (const [s, { world }] of sides.entries()) {
              await world.advance(1)
              await happens(world)
              for (const ask of questions) {
                const path = ask(world.nowMs)
                given[s]!.push({ path, atMs: world.nowMs, reply: await world.world.get(path) })
              }
            }
          for (const { world } of sides) await world.advance(HOUR_MS)
          for (const [i, { path, reply }] of given[0]!.entries()) {
            const other = given[1]![i]!
            expect([other.path, textOf(other.reply)]).toEqual([path, textOf(reply)])
          }
          for (const [s, { world }] of sides.entries())
            for (const one of given[s]!) {
              if (one.reply.status === 503) continue
              expectSame(one, await world.world.get(`${one.path}&known_at=${iso(one.atMs)}`))
              answers += 1
            }
        }),
        { numRuns: HISTORIES, endOnFailure: true },
      )
      expect(answers).toBeGreaterThan(2 * HISTORIES * EVENTS - 1)
    },
    HISTORIES * HISTORY_MS_MAX,
  )
})

describe('the log of that history', () => {
  const PRICE = { provider_id: 'retail-a', from: 'USD', to: 'KES' }

  test('is sealed and proved by two replicas of each, verifies, and has the same leaves', async () => {
    const [one, other] = [await sealedBy(sides[0]!), await sealedBy(sides[1]!)]
    expect(one.length).toBeGreaterThan(HISTORIES * EVENTS)
    expect(other).toEqual(one)
  }, 120_000)

  /** The leaves that two replicas have sealed. */
  async function sealedBy(side: Side): Promise<unknown[]> {
    const { database, world } = side
    await world.catalogue(CATALOGUE)
    const settings = { LOG_SEAL_EVERY: `${SEAL_MS / 1000}s`, DATA_DIR: await scratchFolder() }
    const [key] = (await addAccount(database, { role: 'treasury' })).keys as [string]
    const start = () => Replica.start(database, { clock: world.world.clock, settings })
    const replicas = [await start(), await start()]
    try {
      await everythingIsSealed(side)
      const ids: number[] = []
      for (const [i, replica] of replicas.entries()) {
        const rows = [1, 2, 3].map((nth) => ({ ...PRICE, rate: 100 + 3 * i + nth }))
        const other = { ...PRICE, from: 'GBP', to: 'NGN', rate: 100 }
        const { status, body } = await replica.post([...rows, other], key)
        expect([status, body.ids?.length]).toEqual([201, 4])
        expect((await replica.withdraw([body.ids[1]], key)).status).toBe(200)
        ids.push(...body.ids)
      }
      await everythingIsSealed(side)
      const vkey = documentOf(await corridor(['log', 'key', '--json'], database.url)).vkey
      for (const [i, id] of ids.entries()) {
        const proof = proofOf((await replicas[i % 2]!.get(`/proofs?observation=${id}`, key)).text)!
        const note = noteOf(proof.checkpoint)!
        expect(isSignedBy(note, noteKeyOf(vkey)!)).toBe(true)
        const leaf = leafHash(proof.extra!)
        expect(includes(checkpointOf(note.text)!, { ...proof, leaf })).toBe(true)
      }
    } finally {
      for (const { service } of replicas) await service.stop()
    }
    return leavesOf(database)
  }

  /** Advances to the time of a seal, and waits until `log verify` finds nothing missing. */
  async function everythingIsSealed({ database, world }: Side): Promise<void> {
    await world.advance(SEAL_MS)
    await until('everything is sealed', async () => {
      const { status, stdout } = await corridor(['log', 'verify'], database.url)
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+ leaves agree/)])
      return !stdout.startsWith('0 ') && !stdout.includes('still to be sealed')
    })
  }

  /**
   * The leaves of a log in order, without salts and the time of the methodology's first seal, with
   * rows numbered in the order of their ids.
   */
  async function leavesOf(database: FreshDatabase): Promise<unknown[]> {
    const log = createLogStore(database)
    const { size } = checkpointOf(noteOf((await log.head())!.note)!.text)!
    const leaves: { kind: string; id: number }[] = []
    for (let index = 0; index * TILE_WIDTH < size; index++)
      for (const bytes of entriesOf((await log.entries(index, widthIn(size, 0, index)))!)!) {
        const { salt, ...entry } = JSON.parse(new TextDecoder().decode(bytes))
        if (entry.table === 'methodology') delete entry.since
        leaves.push(entry)
      }
    const tableOf = ({ kind }: { kind: string }) => kind.replace('withdrawal', 'observation')
    const ids = new Map(
      [...Map.groupBy(leaves, tableOf)].map(([table, own]) => [
        table,
        [...new Set(own.map(({ id }) => id))].sort((a, b) => a - b),
      ]),
    )
    return leaves.map(({ id, ...entry }) => {
      return { ...entry, nth: ids.get(tableOf(entry))!.indexOf(id) }
    })
  }
})
