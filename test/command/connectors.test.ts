import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { currency, provider } from '../support/catalogue.ts'
import { corridorWith } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

let database: FreshDatabase
let folder: string
let partner: Bun.Server<undefined>
let answer: (request: Request) => Response | Promise<Response> = () => new Response('[]')

/** The newest observation before the test. */
let seen = 0

async function stocked(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  await createCatalogueStore(database).apply({
    currencies: ['GBP', 'USD', 'KES', 'NGN'].map((code) => currency(code)),
    providers: [provider('acme')],
  })
  const references = join(await scratchFolder(), 'reference.csv')
  const now = new Date().toISOString()
  const rows = ['GBP,0.75', 'KES,129.5', 'NGN,1500'].map((row) => `${now},test,${row}`)
  await writeFile(references, `fetched_at,source,currency,per_usd\n${rows.join('\n')}\n`)
  const imported = ['reference', 'import', references]
  expect((await corridorWith({ DATABASE_URL: database.url }, imported)).status).toBe(0)
  return database
}

beforeAll(async () => {
  database = await stocked()
  partner = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) })
})
afterAll(async () => {
  await partner.stop(true)
  await database.close()
})

beforeEach(async () => {
  folder = await scratchFolder()
  const [newest] = await database.sql`select coalesce(max(id), 0)::int as id from observations`
  seen = newest!.id
})

const run = (args: string, env: Record<string, string> = {}) =>
  corridorWith(
    { DATABASE_URL: database.url, CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1', ...env },
    ['connectors', ...args.split(' ')],
  )

const recorded = async () =>
  database.sql`
    select c.source || '/' || c.target as corridor, trim_scale(o.rate)::text as rate, o.fee::text,
      o.effective_from::text as at
    from observations o join corridors c on c.id = o.corridor_id
    where o.id > ${seen} order by o.id`

const connector = (lines: string, name = 'acme') =>
  writeFile(join(folder, `${name}.yaml`), `name: ${name}\nprovider: acme\nterms: ours\n${lines}`)

const rest = (more = '') =>
  connector(`from:
  url: ${partner.url}quotes?to={to}&note={note}
  headers: { Authorization: "Bearer \${ACME_TOKEN}" }
  each: { corridor: [GBP/KES, GBP/NGN], note: ["a&b"] }
format: json
rows: quotes
row: { from: ask.from, to: ask.to, rate: $number(fx.rate), fee: charge }
${more}`)

const KEYED = { ACME_TOKEN: 'secret-token' }

const table = async (text: string, ageSeconds = 3600, name = 'prices.csv') => {
  await mkdir(join(folder, 'in'), { recursive: true })
  const path = join(folder, 'in', name)
  await writeFile(path, text)
  const at = Date.now() / 1000 - ageSeconds
  await utimes(path, at, at)
}

const csv = (more = '') =>
  connector(`from: { url: "file:in/*.csv" }
format: csv
row: { from: From, to: To, rate: Rate, effective_from: Date }
time_zone: Africa/Nairobi
${more}`)

const SEMICOLONS =
  'From;To;Rate;Date\nGBP;KES;171,5;20/11/2026\nGBP;NGN;1.984,25;20/11/2026 09:30\n'
const LOCAL = 'numbers: { decimal: "," }\ndates: { format: dd/MM/yyyy }\n'
const GOOD = { quotes: [{ fx: { rate: '171.5' }, charge: 1.5 }] }

describe('corridor connectors run', () => {
  beforeEach(async () => {
    await database.close()
    database = await stocked()
    seen = 0
  })

  test('writes nothing to a terminal that would move its cursor', async () => {
    await csv()
    const rows = ['GBP,KES,171.5,2026-11-20', 'GBP\x1b[2J,KES,171.5,2026-11-20', '\x9b2J,KES,x,y']
    await table(`From,To,Rate,Date\n${rows.join('\n')}\n`)
    const { stdout, said } = await run('run acme --dry-run --accept')
    expect(stdout).toContain('171.5')
    expect((stdout + said.join('')).match(/(?!\n)\p{Cc}/gu)).toBeNull()
  })

  test('requests each corridor, and records all that is returned', async () => {
    await rest()
    const asked: string[] = []
    answer = (request) => {
      const { searchParams } = new URL(request.url)
      asked.push(`${searchParams.get('to')} ${searchParams.get('note')}`)
      expect(request.headers.get('authorization')).toBe('Bearer secret-token')
      const rate = searchParams.get('to') === 'KES' ? '171.5' : '1984.25'
      return Response.json({ quotes: [{ fx: { rate }, charge: 1.5 }] })
    }
    const { status, stdout, said } = await run('run acme', KEYED)
    expect({ status, said }).toEqual({ status: 0, said: [] })
    expect(stdout).toBe('acme: 2 recorded, 0 there already, 0 refused\n')
    expect(asked).toEqual(['KES a&b', 'NGN a&b'])
    expect(await recorded()).toMatchObject([
      { corridor: 'GBP/KES', rate: '171.5' },
      { corridor: 'GBP/NGN', rate: '1984.25' },
    ])
  })

  test('shows the rows and records none with --dry-run', async () => {
    await rest()
    answer = () => Response.json(GOOD)
    const { stdout } = await run('run acme --dry-run', KEYED)
    expect(stdout).toContain('from  to   rate   fee  change\nGBP   KES  171.5  1.5  new\n')
    expect(await recorded()).toHaveLength(0)
  })

  test('reads a file with semicolons, decimal commas and local dates, and once only', async () => {
    await csv(LOCAL)
    await table(SEMICOLONS)
    expect((await run('run acme')).stdout).toContain('2 recorded')
    expect(await recorded()).toMatchObject([
      { rate: '171.5', at: '2026-11-19 21:00:00+00' },
      { rate: '1984.25', at: '2026-11-20 06:30:00+00' },
    ])
    expect((await run('run acme')).stdout).toBe('acme: no new file\n')
    expect(await recorded()).toHaveLength(2)
  })

  const kenya = () =>
    connector(`from: { url: "${partner.url}" }
format: json
row: { from: '"GBP"', to: '"KES"', rate: rate, fee: fee }
`)
  const fees = (all: number[]) => () => Response.json(all.map((fee) => ({ rate: 171.5, fee })))

  test('records an unchanged price once within the time of repeat', async () => {
    await kenya()
    answer = fees([1])
    expect((await run('run acme')).stdout).toContain('1 recorded')
    expect((await run('run acme')).stdout).toContain('0 refused, 1 unchanged')
    answer = fees([2])
    expect((await run('run acme')).stdout).toContain('1 recorded')
    expect(await recorded()).toHaveLength(2)
  })

  test('refuses a run with fewer than half as many rows as before, unless it is accepted', async () => {
    await kenya()
    answer = fees([1, 2, 3])
    await run('run acme')
    answer = fees([4])
    const { status, said } = await run('run acme')
    expect(status).toBe(1)
    expect(said.join()).toContain('gave 1 row, fewer than half of the 3 before: nothing was')
    expect(await recorded()).toHaveLength(3)
    const shown = JSON.parse((await run('status --json')).stdout)
    expect(shown).toMatchObject([{ name: 'acme', is_failing: true, rows: 3 }])
    expect((await run('run acme --accept')).stdout).toContain('1 recorded')
    expect((await run('status')).stdout).toMatch(/acme +works +\S+Z +1 +0 +-/)
  })

  test('reads only the newest file on request', async () => {
    await connector(`from: { url: "file:in/*.csv", latest: true }
format: csv
row: { from: '"GBP"', to: To, rate: Rate }
`)
    await table('To,Rate\nKES,170\n', 7200, 'old.csv')
    await table('To,Rate\nKES,172\n', 3600, 'new.csv')
    await run('run acme')
    expect(await recorded()).toMatchObject([{ rate: '172' }])
  })

  test('sends a POST if there is a body, with the values of each corridor in it', async () => {
    await connector(`from:
  url: ${partner.url}search
  body: { asset: "{from}", page: "{page}", filter: { pay: ["{to} cash"], merchant: false } }
  each: { corridor: [GBP/KES], page: [1] }
format: json
row: { from: ask.from, to: ask.to, rate: rate }
`)
    const asked: unknown[] = []
    answer = async (request) => {
      asked.push(request.method, request.headers.get('content-type'), await request.json())
      return Response.json([{ rate: 171.5 }])
    }
    expect((await run('run acme')).stdout).toContain('1 recorded')
    expect(asked).toEqual([
      'POST',
      'application/json',
      { asset: 'GBP', page: 1, filter: { pay: ['KES cash'], merchant: false } },
    ])
  })

  test('follows the pages of a response, on its own host alone', async () => {
    await rest()
    await connector(`from:
  url: ${partner.url}quotes
  pages: { next: next, max: 3 }
format: json
rows: quotes
row: { from: '"GBP"', to: '"KES"', rate: $number(fx.rate) }
`)
    const pages: Record<string, unknown> = {
      '': { ...GOOD, next: '?page=2' },
      '?page=2': { quotes: [{ fx: { rate: 172 } }] },
    }
    answer = (request) => Response.json(pages[new URL(request.url).search])
    expect((await run('run acme')).stdout).toContain('2 recorded')
    pages['?page=2'] = { ...GOOD, next: 'https://elsewhere.example/' }
    expect((await run('run acme')).said.join()).toContain('names a next page on another host')
  })

  test('leaves out a few bad rows, and refuses a run with more than a quarter of them', async () => {
    await csv()
    const good = 'GBP,KES,171.5,2026-11-20\nGBP,KES,171,2026-11-19\nGBP,KES,170,2026-11-18\n'
    await table(`From,To,Rate,Date\n${good}GBP,XXX,1,2026-11-20\n`)
    const some = await run('run acme')
    expect(some.stdout).toContain('3 recorded, 0 there already, 1 refused')
    expect(some.stdout).toContain('row 4 (prices.csv): to "XXX" is not a supported currency')
    const later = good.replaceAll('-11-', '-10-')
    await table(`From,To,Rate,Date\n${later}GBP,XXX,1,2026-11-20\nGBP,KES,0,2026-11-20\n`)
    const many = await run('run acme')
    expect(many.status).toBe(1)
    expect(many.said.join()).toContain('had 2 of its 5 rows refused, more than a quarter')
    expect(await recorded()).toHaveLength(3)
    expect((await run('run acme --accept')).status).toBe(0)
    expect(await recorded()).toHaveLength(6)
  })
})

describe('an error of the source records nothing, and is reported in one line', () => {
  const answers: [what: string, reply: () => Response, said: string][] = [
    ['a truncated answer', () => new Response('{"quotes": [{"fx"'), 'did not return complete JSON'],
    ['an error page', () => new Response('<html>Sorry</html>'), 'returned a web page instead'],
    [
      'all zeros',
      () => Response.json({ quotes: [{ fx: { rate: 0 } }] }),
      'had 2 of its 2 rows refused',
    ],
    [
      'a hundredfold value',
      () => Response.json({ quotes: [{ fx: { rate: 171_500 } }] }),
      'had 2 of its 2 rows refused',
    ],
    ['no rows', () => Response.json({ quotes: [] }), 'gave no rows'],
    ['403', () => new Response('', { status: 403 }), 'returned 403'],
    [
      '429',
      () => new Response('', { status: 429, headers: { 'retry-after': '60' } }),
      'retry after 60 s',
    ],
    ['an endless answer', () => new Response(new Uint8Array(9_000_000)), 'returned more than'],
    [
      'a redirect to the metadata of a cloud',
      () => Response.redirect('http://169.254.169.254/latest', 302),
      'private network',
    ],
  ]
  for (const [what, reply, said] of answers)
    test(what, async () => {
      await rest()
      answer = reply
      const result = await run('run acme', KEYED)
      expect(result.status).toBe(1)
      expect(result.said.join('\n')).toContain(said)
      expect(await recorded()).toHaveLength(0)
    })

  test('a host that is not public, unless a setting names it', async () => {
    await rest()
    answer = () => Response.json(GOOD)
    const { status, said } = await run('run acme', { ...KEYED, CONNECTORS_ALLOW: '' })
    expect(status).toBe(1)
    expect(said.join()).toContain('CONNECTORS_ALLOW')
  })

  test('a missing token', async () => {
    await rest()
    expect((await run('run acme')).said.join()).toContain('environment variable ACME_TOKEN')
  })

  const files: [what: string, text: string, more: string, said: string][] = [
    ['a moved column', 'From,To,Price,Date\nGBP,KES,171,2026-11-20\n', '', 'has no column Rate'],
    ['a column given twice', 'From,To,Rate,Rate\n', '', 'names "Rate" twice'],
    [
      'a decimal comma',
      SEMICOLONS.replaceAll('20/11/', '20/12/'),
      '',
      'had 2 of its 2 rows refused',
    ],
    ['a workbook', 'PK\u0003\u0004', '', 'is an Excel workbook'],
    ['10,001 rows', `From,To,Rate,Date\n${'a,b,1,\n'.repeat(10_001)}`, '', 'more than 10000 rows'],
  ]
  for (const [what, text, more, said] of files)
    test(what, async () => {
      await csv(more)
      await table(text)
      const result = await run('run acme')
      expect(result.status).toBe(1)
      expect(result.said.join()).toContain(said)
      expect(await recorded()).toHaveLength(0)
    })

  test('a file that is still being written', async () => {
    await csv(LOCAL)
    await table(SEMICOLONS, 0)
    expect((await run('run acme')).said.join()).toContain('still being written')
  })

  test('more offers than a provider may have', async () => {
    const rows = Array.from({ length: 201 }, (_, i) => ({ rate: 171.5, least: i + 1 }))
    answer = () => Response.json(rows)
    await connector(`from: { url: "${partner.url}quotes" }
format: json
row: { from: '"GBP"', to: '"KES"', rate: rate, amount_min: least }
`)
    const { status, said } = await run('run acme')
    expect(status).toBe(1)
    expect(said).toEqual([
      'corridor: acme gives a price that cannot be recorded: acme has 200 offers in GBP/KES, ' +
        'which is the limit: price fewer combinations, or let prices expire by their ' +
        'valid_until: nothing was recorded',
    ])
    expect(await recorded()).toHaveLength(0)
  })

  test('a date that could be two, with the field that decides', async () => {
    await csv('numbers: { decimal: "," }\n')
    await table('From;To;Rate;Date\nGBP;KES;171,5;03/04/2026\n')
    const { stdout } = await run('run acme --dry-run')
    expect(stdout).toContain('could be two dates: give dates: { format: dd/MM/yyyy }')
  })
})

describe('corridor connectors', () => {
  test('list names every file, and what is wrong with an invalid one', async () => {
    await csv()
    await writeFile(join(folder, 'bad.yaml'), 'name: bad\nformat: pdf\n')
    const { stdout } = await run('list')
    expect(stdout).toMatch(/acme\.yaml +acme +acme +csv +ours/)
    expect(stdout).toMatch(/bad\.yaml +invalid .*line \d+, column \d+/)
    expect((await run('run acme --dry-run')).said.join()).not.toContain('bad')
    expect((await run('run other')).said.join()).toContain('not valid: bad.yaml')
  })

  test('list names the folder if there is none', async () => {
    expect((await run('list')).stdout).toBe(
      `no connector in ${folder}: CONNECTORS names the folder\n`,
    )
  })

  test('check says where an error is, and that there is none', async () => {
    await csv()
    expect((await run(`check ${join(folder, 'acme.yaml')}`)).stdout).toBe('acme is valid\n')
    await csv('tiem_zone: x\n')
    const { status, stdout } = await run(`check ${join(folder, 'acme.yaml')}`)
    expect(status).toBe(1)
    expect(stdout).toContain('acme.yaml line 8, column 1: tiem_zone is not a known field')
    const asJson = await run(`check ${join(folder, 'acme.yaml')} --json`)
    expect([asJson.status, JSON.parse(asJson.stdout)]).toEqual([
      1,
      { ok: false, name: null, faults: [expect.stringContaining('line 8, column 1: tiem_zone')] },
    ])
  })

  test('schema is a JSON Schema of all fields', async () => {
    const { properties } = JSON.parse((await run('schema')).stdout)
    expect(Object.keys(properties)).toContain('row')
  })

  test('two files of one name are refused', async () => {
    await csv()
    await writeFile(join(folder, 'b.yaml'), await Bun.file(join(folder, 'acme.yaml')).text())
    expect((await run('run acme')).said.join()).toContain('acme.yaml and b.yaml are both called')
  })
})
