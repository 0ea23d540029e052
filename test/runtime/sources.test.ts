import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { SourceName } from '~/source/sources.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { type Replay, startReplay } from '../source/replay.ts'
import { otherHandle } from '../store/samples.ts'
import { selfSigned } from '../support/certificates.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { SourceScene } from './source-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KENYA = 'central-bank-of-kenya'
/** Rows in the recording of Kenya of the last ten days: three days of 21 currencies. */
const KENYA_ROWS = 63

let database: FreshDatabase
let replay: Replay
let other: Database | null = null

beforeEach(async () => {
  database = await freshDatabase()
  replay = await startReplay()
})
afterEach(async () => {
  replay.stop()
  await other?.close()
  other = null
  await database.close()
})

const sceneOf = (...sources: readonly SourceName[]) =>
  new SourceScene({ database, replay, sources })

/** A time after every bank has published all of its recording. */
const LATER = '2026-05-23T20:00:00Z'

/** Changes the recorded response; every other request gets its recorded response. */
const changed = (change: (text: string) => string | Response) => {
  replay.answer = async (_, recorded) => {
    const text = change(await recorded.clone().text())
    return typeof text === 'string' ? new Response(text, { headers: recorded.headers }) : text
  }
}

describe('a bank that is used for the first time', () => {
  test('brings its provider and its currencies, and its last ten days as official quotes', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    const { providers, currencies } = await scene.catalogue()
    expect(providers).toMatchObject([
      {
        ...{ id: KENYA, name: 'Central Bank of Kenya', region: 'Kenya' },
        ...{ providerType: 'central_bank', rateType: 'official' },
        websiteUrl: 'https://www.centralbank.go.ke',
      },
    ])
    expect(currencies.find(({ code }) => code === 'AED')?.peg).toEqual({ to: 'USD', rate: 3.6725 })
    expect(currencies.map(({ code }) => code)).toContain('KES')
    const rows = await scene.observations(KENYA)
    expect(rows).toHaveLength(KENYA_ROWS)
    expect(rows.findLast(({ source }) => source === 'JPY')).toMatchObject({
      ...{ target: 'KES', rate: '0.812', rate_type: 'official', fee: null, evidence: null },
      notes: 'central 81.2 KES for 100 JPY',
      effective_from: '2026-03-18 21:00:00+00',
    })
  })

  test('is served at once, labelled, and never as the best', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    const { body } = await scene.get('/rates?from=USD&to=KES')
    expect(body.providers).toMatchObject([
      {
        provider_id: KENYA,
        rate: 129.52,
        rate_type: 'official',
        last_updated: '2026-03-18T21:00:00.000Z',
      },
    ])
    expect(body.best_rate ?? null).toBeNull()
    const { quote_sources } = (await scene.get('/status')).body
    expect(quote_sources).toEqual([
      {
        ...{ name: 'cbk', provider_id: KENYA, newest: '2026-03-18T21:00:00.000Z', missed_days: 0 },
        ...{
          is_late: false,
          currencies: 21,
          last_success: scene.world.clock.now() && expect.any(String),
        },
        ...{ is_failing: false, fault: null, reason: null, refused: [] },
      },
    ])
  })

  test('leaves alone what an operator changed', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    const store = createCatalogueStore(database)
    const { currencies, providers } = await store.load()
    const euro = currencies.filter(({ code }) => code === 'EUR')
    await store.apply({
      currencies: euro.map((one) => ({ ...one, isActive: false })),
      providers: [],
    })
    changed((text) => text.replaceAll('19\\/03\\/2026', '20\\/03\\/2026'))
    scene.pass(DAY_MS)
    await scene.run()
    expect(await scene.observations(KENYA)).toHaveLength(KENYA_ROWS + 20)
    await store.apply({
      currencies: [],
      providers: providers.map((one) => ({ ...one, isActive: false })),
    })
    scene.pass(4 * DAY_MS)
    await scene.run()
    expect((await scene.record('cbk'))?.message).toBe(`is not queried: ${KENYA} is inactive`)
  })
})

describe('fetching again', () => {
  test('records nothing if nothing is new, and not before the bank publishes', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    const asked = replay.asked.length
    scene.pass(HOUR_MS)
    await scene.run()
    expect(replay.asked).toHaveLength(asked)
    scene.pass(DAY_MS)
    await scene.run()
    expect([replay.asked.length, await scene.count()]).toEqual([asked + 1, KENYA_ROWS])
  })

  test('records the unchanged rates of a new day, which were in force on that day', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    changed((text) => text.replaceAll('19\\/03\\/2026', '20\\/03\\/2026'))
    scene.pass(DAY_MS)
    await scene.run()
    expect(await scene.count()).toBe(KENYA_ROWS + 21)
    expect((await scene.record('cbk'))?.newestMs).toBe(Date.parse('2026-03-19T21:00:00Z'))
  })

  test('records what the bank has corrected on a day, and nothing else', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    changed((text) =>
      text.replace(
        '19\\/03\\/2026","US DOLLAR","129.5200',
        '19\\/03\\/2026","US DOLLAR","129.6100',
      ),
    )
    scene.pass(DAY_MS)
    await scene.run()
    const rows = await scene.observations(KENYA)
    expect(rows.slice(KENYA_ROWS).map(({ source, rate }) => [source, rate])).toEqual([
      ['USD', '129.61'],
    ])
  })

  test('does not download an unchanged page again, and identifies itself', async () => {
    const scene = new SourceScene({
      ...{ database, replay, sources: ['cbn'] },
      publicUrl: 'https://rates.example.org',
    })
    scene.world.clock.set(LATER)
    replay.answer = async ({ headers }, recorded) =>
      headers.get('if-none-match') === '"v1"'
        ? new Response(null, { status: 304 })
        : new Response(await recorded.text(), { headers: { etag: '"v1"' } })
    await scene.run()
    const count = await scene.count()
    expect(count).toBeGreaterThan(11)
    for (let i = 0; i < 2; i++) {
      scene.pass(3 * DAY_MS)
      await scene.run()
    }
    expect(replay.asked.map(({ headers }) => headers.get('if-none-match'))).toEqual([
      ...[null, '"v1"', '"v1"'],
    ])
    expect(replay.asked[0]!.headers.get('user-agent')).toMatch(
      /^corridor\/[\d.]+ \(\+https:\/\/rates\.example\.org\)$/,
    )
    expect([await scene.count(), (await scene.record('cbn'))?.isFailing]).toEqual([count, false])
  })
})

describe('two replicas', () => {
  test('fetch once between them, and both banks of two with one page a host', async () => {
    other = otherHandle(database)
    const sources = ['cbk', 'cbg', 'cbn'] as const
    const first = new SourceScene({ database, replay, sources })
    const second = new SourceScene({ database: other, replay, sources })
    for (const { world } of [first, second]) world.clock.set(LATER)
    await Promise.all([first.run(), second.run()])
    await second.run()
    expect(replay.asked.map(({ host }) => host).sort()).toEqual([
      ...['www.cbg.gm', 'www.cbg.gm', 'www.cbg.gm', 'www.cbg.gm'],
      ...['www.cbn.gov.ng', 'www.centralbank.go.ke'],
    ])
    expect(replay.atOnceMax).toBe(1)
    for (const id of sources) expect(await first.record(id)).toMatchObject({ isFailing: false })
    expect(await first.observations(KENYA)).toHaveLength(21)
  })
})

describe('the guard', () => {
  test('refuses an inverted rate against its mid, logs it once, and records the others', async () => {
    const scene = sceneOf('cbk')
    await scene.reference({ KES: 129.4, EUR: 0.868, GBP: 0.75 })
    changed((text) => text.replace('EURO","149.1600"', 'EURO","0.0067"'))
    await scene.run()
    expect(await scene.count()).toBe(KENYA_ROWS - 1)
    const refused = 'gives EUR as 0.0067 where the mid is 149.078 (2026-03-19)'
    expect((await scene.record('cbk'))?.refused).toEqual([refused])
    expect(scene.log.said).toEqual([`warn: quote source cbk ${refused}; refused`])
    scene.pass(DAY_MS)
    await scene.run()
    expect(scene.log.lines).toHaveLength(1)
    replay.answer = () => null
    scene.pass(DAY_MS)
    await scene.run()
    expect(await scene.count()).toBe(KENYA_ROWS)
    expect(scene.log.said[1]).toBe('info: quote source cbk states nothing any more that is refused')
  })

  test('records nothing of a page whose rates are all a hundredfold', async () => {
    const scene = sceneOf('cbk')
    await scene.run()
    changed((text) =>
      text
        .replaceAll('19\\/03\\/2026', '20\\/03\\/2026')
        .replace(/"(\d+)\.(\d\d)(\d\d)"/g, '"$1$2.$3"'),
    )
    scene.pass(DAY_MS)
    await scene.run()
    expect(await scene.count()).toBe(KENYA_ROWS)
    expect(await scene.record('cbk')).toMatchObject({ isFailing: true, fault: 'implausible' })
  })

  test('records nothing of a page with a date of next year', async () => {
    const scene = sceneOf('cbk')
    changed((text) => text.replace('19\\/03\\/2026', '19\\/03\\/2027'))
    await scene.run()
    expect(await scene.count()).toBe(0)
    expect((await scene.record('cbk'))?.message).toBe(
      'dates rates 2027-03-19, which is in the future',
    )
  })
})

const huge = () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1_048_576))
      },
    }),
  )

const FAULTS: readonly [what: string, answer: () => Response, fault: string, message: string][] = [
  [
    'half a page',
    () => new Response('{"data":[["19\\/03\\/20'),
    'malformed',
    'did not return complete JSON, in a response of 21 bytes',
  ],
  [
    'an error page with 200',
    () => new Response('<!doctype html><h1>Sorry'),
    'not_data',
    'returned a web page instead of rates, in a response of 24 bytes',
  ],
  ['50 MB', huge, 'too_large', 'returned more than 16384 KiB'],
  [
    'a gzip bomb',
    () =>
      new Response(gzipSync(Buffer.alloc(50_000_000)), { headers: { 'content-encoding': 'gzip' } }),
    'too_large',
    'returned more than 16384 KiB',
  ],
  [
    'another charset',
    () => new Response(Buffer.from('{"data":[["é"]]}', 'latin1')),
    'malformed',
    'returned text that is not UTF-8, in a response of 16 bytes',
  ],
  [
    'a redirect to http',
    () => Response.redirect('http://www.centralbank.go.ke/', 302),
    'redirect',
    'redirects from https to http',
  ],
  [
    'a redirect to a private address',
    () => Response.redirect('https://169.254.169.254/latest/meta-data', 302),
    'redirect',
    'redirects to an address in a private network',
  ],
  [
    'a redirect in a circle',
    () =>
      Response.redirect(
        'https://www.centralbank.go.ke/wp-admin/admin-ajax.php?action=get_wdtable&table_id=193',
        307,
      ),
    'redirect',
    'redirects in a circle',
  ],
  ['403', () => new Response('no', { status: 403 }), 'unauthorized', 'returned 403'],
  ['404', () => new Response('no', { status: 404 }), 'http_error', 'returned 404'],
  [
    '429 with Retry-After',
    () => new Response('no', { status: 429, headers: { 'retry-after': '7200' } }),
    'rate_limited',
    'returned 429, retry after 7200 s',
  ],
]

test('Nigeria may return everything since 2001, and its last days are recorded', async () => {
  const scene = sceneOf('cbn')
  scene.world.clock.set(LATER)
  changed((text) => {
    const rows: { ratedate: string }[] = JSON.parse(text)
    const old = Array.from({ length: 60_000 }, (_, index) => ({
      ...rows[index % rows.length],
      ratedate: `20${String(1 + (index % 19)).padStart(2, '0')}-01-02`,
    }))
    return JSON.stringify([...rows, ...old])
  })
  await scene.run()
  expect(await scene.record('cbn')).toMatchObject({ isFailing: false })
  expect(await scene.count()).toBe(66)
})

describe('a bank with a wrong response', () => {
  for (const [what, answer, fault, message] of FAULTS)
    test(`${what} is reported once and records nothing`, async () => {
      const scene = sceneOf('cbk')
      replay.answer = answer
      await scene.run()
      expect(await scene.record('cbk')).toMatchObject({ fault, message, isFailing: true })
      expect([await scene.count(), (await scene.catalogue()).providers]).toEqual([0, []])
      scene.pass(8 * HOUR_MS)
      await scene.run()
      expect(scene.log.said).toEqual([`warn: quote source cbk ${message}`])
      replay.answer = () => null
      scene.pass(DAY_MS)
      await scene.run()
      expect(scene.log.said[1]).toBe('info: quote source cbk works again')
      expect(await scene.count()).toBe(KENYA_ROWS)
    })

  test('is left alone until the time that it asked for', async () => {
    const scene = sceneOf('cbk')
    replay.answer = FAULTS.at(-1)![1]
    await scene.run()
    replay.answer = () => null
    scene.pass(2 * HOUR_MS - 1)
    await scene.run()
    expect(replay.asked).toHaveLength(1)
    scene.pass(1)
    await scene.run()
    expect([replay.asked.length, await scene.count()]).toEqual([2, KENYA_ROWS])
  })

  test('has the beginning of its page in the log, and only its length in public', async () => {
    const scene = sceneOf('cbk')
    changed(() => '{"draw":1,\n"moved":[]}')
    await scene.run()
    const { message } = (await scene.record('cbk'))!
    expect(message).toMatch(/, in a response of \d+ bytes$/)
    expect(message).not.toContain('moved')
    expect(scene.log.lines[0]!.context).toMatchObject({ excerpt: '{"draw":1, "moved":[]}' })
  })

  test('has the beginning of a page without rates in the log', async () => {
    for (const [source, answer, excerpt] of [
      ['cbk', '<!doctype html><h1>Sorry', '<!doctype html><h1>Sorry'],
      ['cbn', Buffer.from('{"data":[["é"]]}', 'latin1'), '{"data":[["é"]]}'],
    ] as const) {
      const scene = sceneOf(source)
      replay.answer = () => new Response(answer)
      await scene.run()
      expect(scene.log.lines[0]!.context).toMatchObject({ excerpt })
    }
  })

  test('is not trusted if its certificate has no known issuer', async () => {
    const tls = selfSigned('www.centralbank.go.ke')
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: () => new Response() })
    const untrusted = { ...replay, via: `https://127.0.0.1:${server.port}` }
    const scene = new SourceScene({ database, replay: untrusted, sources: ['cbk'] })
    await scene.run()
    await server.stop(true)
    expect(await scene.record('cbk')).toMatchObject({ fault: 'insecure', isFailing: true })
    expect(await scene.count()).toBe(0)
  })

  test('does not prevent the others from being recorded', async () => {
    const scene = sceneOf('cbk', 'cbn')
    scene.world.clock.set(LATER)
    replay.answer = ({ host }) =>
      host === 'www.centralbank.go.ke' ? new Response('no', { status: 403 }) : null
    await scene.run()
    expect((await scene.record('cbn'))?.currencies).toBe(11)
  })

  test('needs its key, which is sent to it alone', async () => {
    const keyed = new SourceScene({ database, replay, sources: ['bam'], keys: { bam: 'abc' } })
    keyed.world.clock.set('2026-03-26T18:00:00Z')
    await keyed.run()
    expect(
      new Set(replay.asked.map(({ headers }) => headers.get('ocp-apim-subscription-key'))),
    ).toEqual(new Set(['abc']))
    expect(await keyed.count()).toBe(60)
  })
})

describe('a service that stops', () => {
  test('in the middle of a page leaves no trace of it', async () => {
    const scene = sceneOf('cbk')
    const asked = Promise.withResolvers<void>()
    replay.answer = () => {
      asked.resolve()
      return new Promise(() => {})
    }
    const run = scene.run()
    await asked.promise
    scene.service.stop()
    await run
    expect([await scene.count(), await scene.record('cbk')]).toEqual([0, undefined])
    expect(scene.log.lines).toEqual([])
  })
})
