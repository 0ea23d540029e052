import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { currency, provider } from '../support/catalogue.ts'
import { corridor, corridorProcess, documentOf } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

let database: FreshDatabase
let folder: string

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({
    currencies: ['USD', 'KES', 'NGN'].map((code) => currency(code)),
    providers: [provider('wise'), provider('bank', { rateType: 'official' })],
  })
})
afterAll(() => database.close())

beforeEach(async () => {
  folder = await scratchFolder()
})

const load = (...args: string[]) =>
  corridor(['observations', 'import', ...args, '--json'], database.url)

const loadInput = (stdin: string, ...args: string[]) =>
  corridorProcess(['observations', 'import', '-', ...args, '--json'], {
    databaseUrl: database.url,
    directory: folder,
    stdin,
  })

async function fileOf(text: string, name = 'quotes.csv') {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const count = async (): Promise<number> => {
  const [row] = await database.sql`select count(*)::int as rows from observations`
  return row!.rows
}

const newest = async (rows: number) =>
  database.sql`
    select p.provider_id, c.source, c.target, o.rate::text, o.fee::text, o.fee_currency, o.rate_type,
      o.notes, o.effective_from::text
    from observations o join provider_corridors p on p.id = o.provider_corridor_id
    join corridors c on c.id = o.corridor_id order by o.id desc limit ${rows}`

const LARGE_MS_MAX = 120_000
const HEADER = 'provider_id,from,to,rate,fee,fee_currency,effective_from,notes'

let rates = 0

/** Rows that all differ. */
const wiseRows = (rows: number) =>
  Array.from({ length: rows }, () => `wise,USD,KES,${129.5 + ++rates / 1000},,,,\n`).join('')

describe('observations import', () => {
  test('records a CSV in its order, every digit of it', async () => {
    const path = await fileOf(
      `\uFEFF${HEADER}\r\n` +
        'bank,usd,NGN,1500.00,0.123456789012345678,KES,2026-01-01T12:00:00.5+01:00,\r\n\r\n' +
        'wise,USD,KES,123456789.123456789,1,,2026-01-02T00:00:00Z,"a, ""b""\r\nc\t\\."\r\n',
    )
    expect(await load(path)).toEqual({
      status: 0,
      stdout: '{"inserted":2,"skipped":0,"rejected":0}\n',
      said: [],
    })
    const [second, first] = await newest(2)
    expect(first).toEqual({
      provider_id: 'bank',
      source: 'USD',
      target: 'NGN',
      rate: '1500.00',
      fee: '0.123456789012345678',
      fee_currency: 'KES',
      rate_type: 'official',
      notes: null,
      effective_from: '2026-01-01 11:00:00.5+00',
    })
    expect(second).toMatchObject({
      rate: '123456789.123456789',
      fee_currency: 'USD',
      notes: 'a, "b"\r\nc\t\\.',
    })
  })

  test('says how many months it created, and why none', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => {
      const at = new Date(Date.now() - (i % 95) * 86_400_000).toISOString()
      return `wise,USD,KES,${1000 + i},,,${at},`
    })
    const many = await fileOf([HEADER, ...rows].join('\n'))
    const { said } = await load(many, '--months')
    expect(said).toEqual([expect.stringMatching(/^months made: [2-4]$/)])
    const few = await fileOf([HEADER, 'wise,USD,KES,7,,,,'].join('\n'))
    expect((await load(few, '--months')).said).toEqual([
      expect.stringContaining('fewer than 10,000 rows'),
    ])
  })

  test('records JSON lines from standard input, giving those without a time the same time', async () => {
    const rows = ['{"provider_id":"wise","source_currency":"USD","target_currency":"KES","rate":1}']
    rows.push(
      '{"provider_id":"wise","from":"USD","to":"KES","rate":1.12345678901234567,"fee":null}',
    )
    expect(documentOf(await loadInput(rows.join('\n')))).toEqual({
      inserted: 2,
      skipped: 0,
      rejected: 0,
    })
    const [second, first] = await newest(2)
    expect(second!.rate).toBe('1.12345678901234567')
    expect(second!.effective_from).toBe(first!.effective_from)
  })

  test('names the columns and fields that it does not read, and imports the rest', async () => {
    const row = '{"provider_id":"wise","from":"USD","to":"KES","rate":1,"comment":"KES"}'
    const path = await fileOf(`provider_id,from,to,rate,surcharge,id\nwise,USD,KES,1,2,7\n`)
    for (const [file, names] of [
      [path, '"surcharge", "id"'],
      [await fileOf(row, 'quotes.ndjson'), '"comment"'],
    ] as const) {
      const { status, stdout, said } = await load(file)
      expect([status, stdout]).toEqual([0, '{"inserted":1,"skipped":0,"rejected":0}\n'])
      const line = `ignored, as observations have no such field: ${names}; check the spelling`
      expect(said).toEqual([line])
    }
  })

  test('imports nothing of a CSV whose header misspells a column', async () => {
    const before = await count()
    const path = await fileOf(`provider_id,from,to,rate,Fee,efective_from\nwise,USD,KES,1,2,\n`)
    for (const options of [[], ['--skip-invalid']])
      expect(await load(path, ...options)).toEqual({
        status: 1,
        stdout: '',
        said: [
          `corridor: ${path}: in the header "Fee" is not read: did you mean fee?; ` +
            '"efective_from" is not read: did you mean effective_from?',
        ],
      })
    expect(await count()).toBe(before)
  })

  test('treats a misspelt field of a JSON line as an error of that line', async () => {
    const row = '{"provider_id":"wise","from":"USD","to":"KES","rate":1,"fee_curency":"KES"}'
    const path = await fileOf(`${row}\n${row.replace('fee_curency', 'error')}\n`, 'quotes.ndjson')
    const fault = 'line 1: "fee_curency" is not read: did you mean fee_currency?'
    const { status, said } = await load(path)
    expect([status, said[0]]).toEqual([1, fault])
    expect(documentOf(await load(path, '--skip-invalid'))).toEqual({
      inserted: 1,
      skipped: 0,
      rejected: 1,
    })
  })

  test('does not import a file with an invalid row, and lists its first errors by line', async () => {
    const before = await count()
    const path = await fileOf(
      `${HEADER}\n${wiseRows(20_000)}${'nobody,USD,KES,1,,,,\n'.repeat(25)}`,
    )
    const { status, stdout, said } = await load(path)
    expect([status, stdout]).toEqual([1, ''])
    expect(said).toHaveLength(21)
    expect(said[0]).toBe('line 20002: provider_id "nobody" is not an active id of /providers')
    expect(said[20]).toBe(
      'corridor: nothing was imported: 25 rows are invalid, 5 more than are listed; ' +
        'correct the file, or give --skip-invalid to import the others',
    )
    expect(await count()).toBe(before)
    expect(await readdir(folder)).toEqual(['quotes.csv'])
  })

  test('stops reading a file in which everything is wrong', async () => {
    const path = await fileOf(`${HEADER}\n${'nobody,USD,KES,1,,,,\n'.repeat(50_000)}`)
    const { status, said } = await load(path)
    expect(status).toBe(1)
    expect(said[20]).toStartWith('corridor: nothing was imported: at least ')
  })

  test('never prints the control characters of a file', async () => {
    const path = await fileOf(`${HEADER}\nwise,USD,KES,\u001b[2J,,,,\n`)
    expect((await load(path)).said.join()).not.toContain('\u001b')
  })

  const refused: [string, string, string][] = [
    ['nothing', '', 'the file is empty'],
    ['a header twice the same', 'rate,rate,provider_id,from,to\n', 'names "rate" twice'],
    ['no header', 'wise,USD,KES,129.5\n', 'line 1, the header, lacks provider_id'],
    ['a JSON list', '[{}]', 'the file is a JSON list'],
  ]
  for (const [what, text, message] of refused)
    test(`refuses a file of ${what} in one line`, async () => {
      const path = await fileOf(text)
      for (const options of [[], ['--skip-invalid']]) {
        const { status, stdout, said } = await load(path, ...options)
        expect([status, stdout, said.length]).toEqual([1, '', 1])
        expect(said[0]).toStartWith(`corridor: ${path}: `)
        expect(said[0]).toContain(message)
      }
    })

  test('reports an unclosed quote as an error of its line', async () => {
    const path = await fileOf(`${HEADER}\nwise,USD,KES,1,,,,"open\nwise,USD,KES,1,,,,\n`)
    expect((await load(path)).said[0]).toBe('line 2: has a quote that is not closed')
  })

  test('a missing file and a directory are failures in one line', async () => {
    const gone = join(folder, 'gone.csv')
    expect((await load(gone)).said).toEqual([
      `corridor: cannot read ${gone}: there is no such file`,
    ])
    expect((await load(folder)).said).toEqual([
      `corridor: cannot read ${folder}: it is a directory`,
    ])
  })

  test('is wrong usage without a file or with an unknown option', async () => {
    expect((await load()).status).toBe(2)
    expect((await load('a.csv', '--skip')).status).toBe(2)
  })
})

test('observations import takes an unknown time zone for wrong usage', async () => {
  const { status, said } = await load('-', '--time-zone', 'Africa/Nowhere')
  expect([status, said.join()]).toEqual([2, expect.stringContaining('must be an IANA time zone')])
})

describe('observations import --skip-invalid', () => {
  test('records the other rows, keeps the rejects next to the file, and imports them once corrected', async () => {
    const before = await count()
    const path = await fileOf(
      `${HEADER}\nwise,USD,KES,1,,,,\nwyse,USD,KES,123456789.123456789,,,,"x, ""y"""\nwise,USD\n`,
    )
    const first = await load(path, '--skip-invalid')
    expect(documentOf(first)).toEqual({ inserted: 1, skipped: 0, rejected: 2 })
    expect(first.said).toEqual([
      'line 3: provider_id "wyse" is not an active id of /providers',
      'line 4: has 2 fields where the header has 8',
      `2 rows are invalid: see ${path}.rejects.csv`,
    ])
    const rejects = await readFile(`${path}.rejects.csv`, 'utf8')
    expect(rejects).toBe(
      `error,${HEADER}\n` +
        '"provider_id ""wyse"" is not an active id of /providers",' +
        'wyse,USD,KES,123456789.123456789,,,,"x, ""y"""\n' +
        'has 2 fields where the header has 8,wise,USD,,,,,,\n',
    )
    const corrected = rejects.replace(',wyse', ',wise').replace('wise,USD,,,', 'wise,USD,NGN,1500,')
    const again = await load(await fileOf(corrected, 'corrected.csv'))
    expect(documentOf(again)).toEqual({ inserted: 2, skipped: 0, rejected: 0 })
    expect(await count()).toBe(before + 3)
    expect((await newest(2))[1]).toMatchObject({ rate: '123456789.123456789', notes: 'x, "y"' })
  })

  test('keeps rejects of standard input in the current directory', async () => {
    const text = '{"provider_id":"wise"\n{"provider_id":"wise","from":"USD","to":"KES","rate":2}\n'
    const { said, ...finished } = await loadInput(text, '--skip-invalid')
    expect(documentOf({ ...finished, said })).toEqual({ inserted: 1, skipped: 0, rejected: 1 })
    const rejects = await readFile(join(folder, 'observations.rejects.ndjson'), 'utf8')
    expect(rejects).toBe('{"line":"{\\"provider_id\\":\\"wise\\"","error":"is not valid JSON"}\n')
  })

  test('leaves no file when every row is valid', async () => {
    const path = await fileOf(`${HEADER}\n${wiseRows(3)}`)
    expect(documentOf(await load(path, '--skip-invalid'))).toEqual({
      inserted: 3,
      skipped: 0,
      rejected: 0,
    })
    expect(await readdir(folder)).toEqual(['quotes.csv'])
  })

  test('removes the rejects of an earlier run once there are none', async () => {
    const path = await fileOf(`${HEADER}\n${wiseRows(1)}nobody,USD,KES,1,,,,\n`)
    await load(path, '--skip-invalid')
    expect(await readdir(folder)).toContain('quotes.csv.rejects.csv')
    await fileOf(`${HEADER}\n${wiseRows(1)}`)
    expect(documentOf(await load(path, '--skip-invalid'))).toMatchObject({ rejected: 0 })
    expect(await readdir(folder)).toEqual(['quotes.csv'])
  })

  test('says what is recorded and where the rejects are if they cannot get their name', async () => {
    const before = await count()
    const path = await fileOf(`${HEADER}\n${wiseRows(2)}nobody,USD,KES,1,,,,\n`)
    await mkdir(join(`${path}.rejects.csv`, 'full'), { recursive: true })
    const { status, said } = await load(path, '--skip-invalid')
    expect(status).toBe(1)
    expect(said.at(-1)).toStartWith('corridor: 2 observations were inserted, but the rejected rows')
    expect(said.at(-1)).toContain(`${path}.rejects.csv.part`)
    expect(await count()).toBe(before + 2)
  })

  test('records nothing when the rejects cannot be written', async () => {
    const before = await count()
    const path = await fileOf(`${HEADER}\n${wiseRows(10)}nobody,USD,KES,1,,,,\n`)
    await mkdir(`${path}.rejects.csv.part`)
    const { status, said } = await load(path, '--skip-invalid')
    expect(status).toBe(1)
    expect(said.at(-1)).toStartWith(`corridor: cannot write the rejected rows to ${path}.rejects`)
    expect(await count()).toBe(before)
  })
})

describe('observations import of existing rows', () => {
  const AT = '2026-02-01T00:00:00Z'
  const FILE =
    `${HEADER}\nwise,USD,NGN,1500,1,,${AT},\nwise,USD,NGN,1500.50,,,${AT},\n` +
    `bank,USD,NGN,1500,1,USD,${AT},\nwise,USD,NGN,1500,1,USD,${AT},once more\n`

  test('records a file once, of any format, and says how many rows were there', async () => {
    const before = await count()
    const path = await fileOf(FILE)
    expect(documentOf(await load(path))).toEqual({ inserted: 3, skipped: 1, rejected: 0 })
    const again = await corridor(['observations', 'import', path], database.url)
    expect([again.status, again.stdout]).toEqual([
      0,
      'observations inserted: 0, there already: 4, rows rejected: 0\n',
    ])
    const row = { provider_id: 'wise', from: 'USD', to: 'NGN', rate: 1500.5, effective_from: AT }
    const line = await fileOf(`${JSON.stringify(row)}\n`, 'quotes.ndjson')
    expect(documentOf(await load(line))).toEqual({ inserted: 0, skipped: 1, rejected: 0 })
    expect(await count()).toBe(before + 3)
  })

  test('records it again with --allow-duplicates', async () => {
    const before = await count()
    const path = await fileOf(`${FILE}nobody,USD,NGN,1,,,${AT},\n`)
    const options = ['--allow-duplicates', '--skip-invalid']
    expect(documentOf(await load(path, ...options))).toEqual({
      inserted: 4,
      skipped: 0,
      rejected: 1,
    })
    expect(documentOf(await load(path, '--skip-invalid'))).toEqual({
      inserted: 0,
      skipped: 4,
      rejected: 1,
    })
    expect(await count()).toBe(before + 4)
  })
})

describe('observations import of a large file', () => {
  const ROWS = 100_000
  const NOTES = 'note '.repeat(100)
  const RESIDENT_BYTES_MAX = 220 * 1_048_576

  test(
    'keeps only a small part of it in memory',
    async () => {
      const rows = Array.from(
        { length: ROWS },
        (_, i) => `wise,USD,KES,129.5,,,${new Date(1.76e12 + i * 1000).toISOString()},"${NOTES}"\n`,
      )
      const path = await fileOf(`${HEADER}\n${rows.join('')}`)
      const before = await count()
      let peakBytes = 0
      let timer: ReturnType<typeof setInterval> | undefined
      const finished = await corridorProcess(['observations', 'import', path, '--json'], {
        databaseUrl: database.url,
        onStart: (pid) => {
          timer = setInterval(() => {
            peakBytes = Math.max(peakBytes, residentBytes(pid))
          }, 200)
        },
      })
      clearInterval(timer)
      expect(documentOf(finished)).toEqual({ inserted: ROWS, skipped: 0, rejected: 0 })
      expect(await count()).toBe(before + ROWS)
      expect(peakBytes).toBeGreaterThan(0)
      expect(peakBytes).toBeLessThan(RESIDENT_BYTES_MAX)
    },
    LARGE_MS_MAX,
  )
})

/** Current resident memory of a process; 0 once it has ended. */
function residentBytes(pid: number): number {
  const status = `/proc/${pid}/status`
  const kilobytes = existsSync('/proc/self/status')
    ? /VmRSS:\s+(\d+)/.exec(existsSync(status) ? readFileSync(status, 'utf8') : '')?.[1]
    : Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(pid)]).stdout.toString()
  return Number(kilobytes ?? 0) * 1024
}

describe('observations import of rates far from the mid of their day', () => {
  const HEAD = 'provider_id,from,to,rate,effective_from,accept_implausible'
  const AT = '2026-01-05T12:00:00Z'

  beforeAll(async () => {
    const store = createReferenceStore(database)
    const rates = [
      { currency: 'NGN', perUsd: '1500' },
      { currency: 'KES', perUsd: '130' },
    ]
    await store.append({ source: 'feed', fetchedMs: Date.parse('2026-01-05T00:00:00Z'), rates })
  })

  test('rejects them with the mid, except for rows with accept_implausible', async () => {
    const row = (rate: string, accepted = '') => `wise,USD,NGN,${rate},${AT},${accepted}`
    const rows = [row('1.499'), row('1498'), row('1.498', 'true'), `wise,USD,KES,129,${AT},`]
    const path = await fileOf(`${HEAD}\n${rows.join('\n')}\n`)
    const { status, said } = await load(path)
    expect(status).toBe(1)
    expect(said.join()).toContain('the mid of its day, 1500 NGN for one USD')
    expect(said.join()).toContain('is the decimal separator different?')
    expect(documentOf(await load(path, '--skip-invalid'))).toMatchObject({
      inserted: 3,
      rejected: 1,
    })
  })

  test('records them with --accept-implausible, and rates of kinds that are not traded at', async () => {
    const path = await fileOf(`${HEAD}\nwise,USD,NGN,7,${AT},\nbank,USD,NGN,1,${AT},false\n`)
    expect(documentOf(await load(path, '--accept-implausible'))).toMatchObject({
      inserted: 2,
      rejected: 0,
    })
  })
})
