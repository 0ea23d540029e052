import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { backfillStartMs } from '~/domain/observation.ts'
import { SOURCE_NAMES } from '~/source/sources.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'
import { type Replay, startReplay } from '../../source/replay.ts'
import { corridorWith, documentOf } from '../../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let replay: Replay

beforeAll(async () => {
  database = await freshDatabase()
  replay = await startReplay()
})
afterEach(() => {
  replay.answer = () => null
})
afterAll(async () => {
  replay.stop()
  await database.close()
})

const run = (args: string, settings: Record<string, string> = {}) =>
  corridorWith(
    { DATABASE_URL: database.url, QUOTE_SOURCES_VIA: replay.via, ...settings },
    args.split(' '),
  )

const count = async () => {
  const [row] = await database.sql`select count(*)::int as count from observations`
  return row!.count as number
}

describe('corridor catalogue starter', () => {
  test('gives a new installation currencies with their pegs, and providers', async () => {
    const first = await run('catalogue starter --json')
    expect(documentOf(first)).toEqual({
      currencies: expect.any(Number),
      providers: expect.any(Number),
    })
    expect(await run('catalogue starter --json')).toEqual(first)
    const [peg] =
      await database.sql`select peg_to, peg_rate, flag_url from currencies where code = 'XOF'`
    expect(peg).toEqual({ peg_to: 'EUR', peg_rate: '655.957', flag_url: null })
  })
})

describe('corridor sources fetch', () => {
  test('--dry-run prints what would be recorded, and changes nothing', async () => {
    const { status, stdout } = await run('sources fetch cbk --dry-run')
    expect([status, stdout]).toEqual([
      0,
      'cbk 21 would be recorded, newest 2026-03-18T21:00:00.000Z\n',
    ])
    expect(await count()).toBe(0)
    expect(await createSourceStateStore(database).load()).toEqual([])
  })

  test('records the newest day of the named banks, once', async () => {
    const newest = '2026-03-18T21:00:00.000Z'
    const once = documentOf(await run('sources fetch cbk --json'))
    expect(once).toEqual([{ source: 'cbk', ok: true, observations: 21, newest, error: null }])
    const twice = documentOf(await run('sources fetch cbk --json'))
    expect(twice).toEqual([{ source: 'cbk', ok: true, observations: 0, newest, error: null }])
  })

  test('--since records the missing days, and only those requested', async () => {
    expect((await run('sources fetch cbk --since 2026-03-17')).stdout).toStartWith(
      'cbk 42 recorded',
    )
    expect((await run('sources fetch cbk --since 2026-03-17')).stdout).toStartWith('cbk 0 recorded')
    const span = '--since 2026-05-18 --until 2026-05-20'
    const days = documentOf(await run(`sources fetch bct ${span} --json`))
    expect(days).toMatchObject([{ ok: true, newest: '2026-05-19T23:00:00.000Z' }])
    const [oldest] = await database.sql`
      select min(o.effective_from)::text as at from observations o
      join provider_corridors p on p.id = o.provider_corridor_id
      where p.provider_id = 'central-bank-of-tunisia'`
    expect(oldest!.at).toBe('2026-05-18 23:00:00+00')
  })

  test('fetches those of QUOTE_SOURCES without names, and fails with 1 if one of them does', async () => {
    replay.answer = ({ host }) =>
      host === 'www.cbn.gov.ng' ? new Response('gone'.repeat(50)) : null
    const result = await run('sources fetch --json', { QUOTE_SOURCES: 'cbg,cbn' })
    expect(result.status).toBe(1)
    expect(JSON.parse(result.stdout)).toMatchObject([
      { source: 'cbg', ok: true, newest: '2026-05-22T00:00:00.000Z', error: null },
      { source: 'cbn', ok: false, observations: 0, newest: null },
    ])
    expect(result.said).toEqual(['corridor: 1 of 2 sources failed: cbn; see sources status'])
    const { stdout } = await run('sources fetch cbn')
    expect(stdout).toContain(', in a response of 200 bytes; it begins: gonegone')
  })

  test('--since may be the day five years ago', async () => {
    const day = new Date(backfillStartMs(Date.now())).toISOString().slice(0, 10)
    const { status, said } = await run(`sources fetch cbk --dry-run --since ${day}`)
    expect([status, said]).toEqual([0, []])
  })

  test('says what it cannot do', async () => {
    const saysOf = async (args: string) => {
      const { status, said } = await run(args)
      return [status, said.at(-1)]
    }
    const unnamed = 'corridor: name the banks to ask, or all: QUOTE_SOURCES names none.'
    expect(await saysOf('sources fetch')).toEqual([1, expect.stringContaining(unnamed)])
    for (const [args, text] of [
      ['sources fetch fed', 'error: the names of banks must be one of bam, bceao,'],
      ['sources fetch cbk --since yesterday', 'error: --since must be a date such as 2026-01-31'],
      ['sources fetch cbk --since 2001-01-01', 'error: --since may be at most 5 years back'],
      ['sources fetch cbk --since 2999-01-01', 'error: --since must not be after --until or today'],
      ['sources fetch cbk --until 2026-01-01', 'error: --until goes with --since'],
    ] as const)
      expect([args, await saysOf(args)]).toEqual([args, [2, expect.stringContaining(text)]])
  })

  test('leaves the work to another process that is fetching', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const asking = createSourceStateStore(database).once(() => {
      begun.resolve()
      return held.promise
    })
    await begun.promise
    const { said } = await run('sources fetch cbk')
    expect(said).toEqual(['corridor: another process is querying banks; see sources status'])
    held.resolve()
    await asking
  })
})

describe('corridor sources status', () => {
  test('shows for each fetched bank its newest day, the missed days and the reason of failures', async () => {
    const states = documentOf(await run('sources status --json'))
    expect(states).toMatchObject([
      { name: 'bct', is_failing: false },
      { name: 'cbg', is_failing: false, newest: '2026-05-22T00:00:00.000Z', is_late: true },
      { name: 'cbk', currencies: 21, provider_id: 'central-bank-of-kenya', refused: [] },
      { name: 'cbn', is_failing: true, fault: 'malformed', newest: null, missed_days: 0 },
    ])
    const { stdout } = await run('sources status')
    expect(stdout).toMatch(/^cbn +failing +never +- +0 +did not return complete JSON/m)
  })
})

describe('lists all banks with the currencies of their prices, and their terms', () => {
  test('shows every bank with what their prices are in, and their terms', async () => {
    const listed = documentOf(await run('sources list --json', { QUOTE_SOURCES: 'cbk' }))
    expect(listed.map(({ source }: { source: string }) => source)).toEqual(SOURCE_NAMES)
    expect(listed.find(({ source }: { source: string }) => source === 'cbk')).toEqual({
      ...{ source: 'cbk', name: 'Central Bank of Kenya', provider_id: 'central-bank-of-kenya' },
      ...{ region: 'Kenya', website_url: 'https://www.centralbank.go.ke', currency: 'KES' },
      publishes: { at: '13:30', time_zone: 'Africa/Nairobi', weekdays: [1, 2, 3, 4, 5] },
      ...{ history: 'in every answer', format_url: expect.any(String), terms: expect.any(String) },
      ...{ needs_key: false, key_url: null, is_configured: true },
    })
    expect((await run('sources list')).stdout).toMatch(/^bam +Bank Al-Maghrib +MAD /m)
  })
})
