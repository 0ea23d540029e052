import { describe, expect, test } from 'bun:test'
import type { Observation } from '~/domain/observation.ts'
import { type Offer, PLAIN } from '~/domain/offer/terms.ts'
import { openObservationFile, type Reject } from '~/file/observations.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { Notation } from '~/wire/row/notation.ts'
import { byteChunks } from '../support/byte-chunks.ts'
import { currency, provider } from '../support/catalogue.ts'

const NOW_MS = Date.parse('2026-03-05T14:00:00.000Z')
const catalogue = new CatalogueIndex({
  currencies: ['USD', 'KES', 'NGN'].map((code) => currency(code)),
  providers: [provider('wise'), provider('bank', { rateType: 'official' })],
})
const notation: Notation = {
  decimal: '.',
  dates: null,
  timeZone: null,
  settingOf: (name, value) => `--${name} ${value}`,
}
const rules = { catalogue, nowMs: NOW_MS, defaultEffectiveMs: NOW_MS, notation }

async function read(text: string | Uint8Array, size?: number, written: Partial<Notation> = {}) {
  const { format, rejectsHeader, batches } = await openObservationFile(byteChunks(text, size), {
    ...rules,
    notation: { ...notation, ...written },
  })
  const rows: Observation[] = []
  const rejects: Reject[] = []
  for await (const batch of batches) {
    rows.push(...batch.rows)
    rejects.push(...batch.rejects)
  }
  return { format, rejectsHeader, rows, rejects }
}

const HEADER = 'provider_id,from,to,rate,fee,fee_currency,effective_from,notes'
const USD_KES = {
  providerId: 'wise',
  rateType: 'retail',
  from: 'USD',
  to: 'KES',
  rate: '129.5',
  fee: null,
  feeCurrency: null,
  effectiveMs: NOW_MS,
  notes: null,
  evidence: 'observed',
  offer: null,
} as const

describe('openObservationFile', () => {
  test('reads a CSV with its columns in any order; an empty field is absent', async () => {
    const text =
      'rate,notes,unknown,target_currency,source_currency,provider_id,fee,effective_from,evidence\n' +
      '129.5,,x,KES,usd,wise,,,\n' +
      '1500,"cash, ""fast""",,NGN,USD,bank,2.50,2026-03-04T10:00:00+01:00,indicative\n'
    const { format, rows, rejects } = await read(text)
    expect(format).toBe('csv')
    expect(rejects).toEqual([])
    expect(rows).toEqual([
      USD_KES,
      {
        providerId: 'bank',
        rateType: 'official',
        from: 'USD',
        to: 'NGN',
        rate: '1500',
        fee: '2.50',
        feeCurrency: 'USD',
        effectiveMs: Date.parse('2026-03-04T09:00:00Z'),
        notes: 'cash, "fast"',
        evidence: 'indicative',
        offer: null,
      },
    ])
  })

  const OFFER: Offer = {
    ...PLAIN,
    sourceCountry: 'US',
    targetCountry: 'KE',
    payIn: ['bank_account', 'debit_card'],
    payOut: ['cash'],
    amountMin: 100,
    amountMax: 250.5,
    feePercent: 0.5,
    deliveryMaxMs: 3_600_000,
  }

  test('reads the offers of a CSV, with lists between bars', async () => {
    const text =
      'provider_id,from,to,rate,source_country,target_country,pay_in,pay_out,channel,amount_min,' +
      'amount_max,service,fee_percent,delivery_min,delivery_max,valid_until\n' +
      'wise,USD,KES,129.5,us,KE,debit_card | bank_account,cash,,100,250.50,,0.5,,PT1H,\n' +
      'wise,USD,KES,129.5,,,,,,,,,,,,\n'
    const { rows, rejects } = await read(text)
    expect(rejects).toEqual([])
    expect(rows).toEqual([{ ...USD_KES, feeCurrency: 'USD', offer: OFFER }, USD_KES])
  })

  test('reads the offers of JSON lines, with lists as arrays', async () => {
    const said =
      '"source_country":"US","target_country":"KE","pay_in":["debit_card","bank_account"],' +
      '"pay_out":["cash"],"amount_min":100,"amount_max":250.50000000000000,"fee_percent":0.5,' +
      '"delivery_max":"PT1H"'
    const { rows, rejects } = await read(
      `{"provider_id":"wise","from":"USD","to":"KES","rate":129.5,${said}}\n`,
    )
    expect(rejects).toEqual([])
    expect(rows).toEqual([{ ...USD_KES, feeCurrency: 'USD', offer: OFFER }])
  })

  test('rejects rows by what is wrong with their offers, and reads the others', async () => {
    const lines = [
      'provider_id,from,to,rate,pay_in,fee_percent,amount_min,amount_max,target_country',
      'wise,USD,KES,129.5,cash||debit_card,NaN,101,100,UK',
      'wise,USD,KES,129.5,cash|cash,1,,,',
      'wise,USD,KES,129.5,cash;debit_card,,,,',
      'wise,USD,KES,129.5,cash,,,,KE',
    ]
    const { rows, rejects } = await read(`${lines.join('\n')}\n`)
    expect(rows).toHaveLength(1)
    expect(rejects.map(({ fault }) => fault.split('; '))).toEqual([
      [
        'target_country "UK" is not an ISO 3166-1 alpha-2 country code',
        'United Kingdom is GB',
        'pay_in must be of cash, bank_account, debit_card, credit_card, prepaid_card, mobile_money',
        'not ""',
        'fee_percent must be a finite JSON number, not NaN',
        'amount_min must not be above the greatest amount',
      ],
      ['pay_in has "cash" more than once'],
      [
        'pay_in must be of cash, bank_account, debit_card, credit_card, prepaid_card, mobile_money',
        'not "cash;debit_card"',
      ],
    ])
    expect(rejects[0]!.copy).toEndWith(`,${lines[1]}`)
    const header = lines[0]!.replace('fee_percent', 'fee_precent')
    await expect(read(`${header}\n`)).rejects.toThrow(
      'in the header "fee_precent" is not read: did you mean fee_percent?',
    )
  })

  test('reads one JSON object a line, found by its first character', async () => {
    const text = '\uFEFF\n  {"provider_id":"wise","from":"USD","to":"KES","rate":129.5}\r\n\r\n'
    const { format, rejectsHeader, rows, rejects } = await read(text)
    expect([format, rejectsHeader]).toEqual(['ndjson', null])
    expect([rows, rejects]).toEqual([[USD_KES], []])
  })

  test('keeps every digit of rates and fees in both formats', async () => {
    const rate = '123456789.123456789'
    const fee = '0.123456789012345678'
    const csv = `${HEADER}\nwise,USD,KES,${rate},${fee},,,\n`
    const json = `{"provider_id":"wise","from":"USD","to":"KES","rate":${rate},"fee":${fee}}`
    for (const text of [csv, json]) {
      const { rows } = await read(text)
      expect([rows[0]!.rate, rows[0]!.fee]).toEqual([rate, fee])
    }
  })

  test('reads a file however its bytes are cut, CRLF and a byte order mark too', async () => {
    const text = `\uFEFF${HEADER}\r\n\r\nwise,USD,KES,129.5,,,,\r\nwise,USD,KES,129.5,,,,"é\r\n😀"`
    for (const size of [1, 2, 3, 7, 1000]) {
      const { rows, rejects } = await read(text, size)
      expect(rejects).toEqual([])
      expect(rows).toEqual([USD_KES, { ...USD_KES, notes: 'é\r\n😀' }])
    }
  })

  test('a header alone is a file of no rows', async () => {
    expect((await read(`${HEADER}\n`)).rows).toEqual([])
  })

  const unusable: [string, string, string][] = [
    ['nothing', '', 'the file is empty'],
    ['blank lines', '\n \r\n', 'the file is empty'],
    ['a JSON list', '[{"rate":1}]', 'the file is a JSON list: write one object a line instead'],
    ['no header', 'wise,USD,KES,129.5\n', 'lacks provider_id, from or source_currency'],
    ['a column missing', 'provider_id,from,to\n', 'line 1, the header, lacks rate'],
    ['a column twice', `${HEADER},fee\n`, 'line 1, the header, names "fee" twice'],
    ['a broken header', `\n"provider_id,from\n`, 'line 2, the header, has a quote that is not'],
  ]
  for (const [what, text, message] of unusable)
    test(`refuses a file with ${what}`, async () => {
      await expect(read(text)).rejects.toThrow(message)
    })

  test('rejects CSV rows by line with all of their errors, and reads the others', async () => {
    const text = [
      HEADER,
      'wise,USD,KES,129.5,,,,',
      'wise,USD,XXX,abc,,,,',
      '"wise","USD","KES","1","","","","two\nlines"',
      'wise,USD,KES',
      'wise,USD,KES,129.5,,,,"open',
      'wise,USD,KES,1,,,,,,',
      'wise,USD,KES,"1,284.50",,,,',
    ].join('\n')
    const { rows, rejects } = await read(text)
    expect(rows).toHaveLength(2)
    expect(rejects.map(({ number, fault }) => [number, fault])).toEqual([
      [
        3,
        'to "XXX" is not a supported currency code; ' +
          'rate must be a finite JSON number, not abc',
      ],
      [6, 'has 3 fields where the header has 8'],
      [7, 'has a quote that is not closed'],
      [8, 'has 10 fields where the header has 8'],
      [
        9,
        'rate must be a number with a decimal point and without commas between its thousands, ' +
          'such as 1284.50, not 1,284.50',
      ],
    ])
  })

  test('rejects JSON lines that are not objects, not JSON, too long or not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"provider_id":"wise","from":"USD","to":"KES","rate":129.5}\n'),
      Buffer.from(`[1]\n{"rate"\nnull\n{"a":"${'x'.repeat(70_000)}"}\n{"notes":"`),
      Buffer.from([0xe3]),
      Buffer.from('"}\n{"rate":1e999}\n'),
    ])
    const { rows, rejects } = await read(bytes)
    expect(rows).toHaveLength(1)
    expect(rejects.map(({ number, fault }) => [number, fault.split(';')[0]])).toEqual([
      [2, 'a row must be a JSON object'],
      [3, 'is not valid JSON'],
      [4, 'a row must be a JSON object'],
      [5, 'is longer than 65536 characters'],
      [6, 'is not UTF-8 text'],
      [7, 'provider_id is required: an active id of /providers'],
    ])
  })

  const rejectsOf = ({ rejectsHeader, rejects }: Awaited<ReturnType<typeof read>>) =>
    `${[rejectsHeader, ...rejects.map(({ copy }) => copy)].join('\n')}\n`

  test('the copies of CSV rejects are a CSV that can be corrected and read again', async () => {
    const first = await read(
      `${HEADER}\n"no,body",USD,KES,123456789.123456789,,,,"say ""hi""\nto me"\nwise,USD\n"wise`,
    )
    const copied = rejectsOf(first)
    expect(copied.split('\n')[0]).toBe(`error,${HEADER}`)
    const corrected = await read(copied.replace(',"no,body"', ',wise'))
    expect(corrected.rows).toHaveLength(1)
    expect(corrected.rows[0]).toMatchObject({
      rate: '123456789.123456789',
      notes: 'say "hi"\nto me',
    })
    expect(corrected.rejects).toHaveLength(2)
    expect(corrected.rejectsHeader).toBe(`error,${HEADER}`)
    expect(corrected.rejects[0]!.copy).toBe(
      'target_currency (or to) is required: a currency code; rate is required: a number above 0' +
        ',wise,USD,,,,,,',
    )
  })

  test('a copy with too many fields keeps their places, and correcting it moves none', async () => {
    const split = await read(`${HEADER}\nwise,USD,KES,1,500.25,2,,,said, and done\n`)
    const copied = rejectsOf(split)
    const said = 'wise,USD,KES,1,500.25,2,,,said, and done'
    expect(copied.split('\n')[1]).toBe(
      `has 10 fields where the header has 8: 1500.25 has a comma between its thousands,${said}`,
    )
    const mended = copied
      .replace('1,500.25', '1500.25')
      .replace('said, and done', '"said, and done"')
    const { rows, rejects } = await read(mended)
    expect(rejects).toEqual([])
    expect(rows).toEqual([
      { ...USD_KES, rate: '1500.25', fee: '2', feeCurrency: 'USD', notes: 'said, and done' },
    ])
  })

  test('errors of this import replace those of an earlier one', async () => {
    const text = 'provider_id,error,from,to,rate\nnobody,old,USD,KES,1\nwise,old,USD,KES,1,500\n'
    expect(rejectsOf(await read(text)).split('\n')).toEqual([
      'error,provider_id,from,to,rate',
      '"provider_id ""nobody"" is not an active id of /providers",nobody,USD,KES,1',
      'has 6 fields where the header has 5,wise,old,USD,KES,1,500',
      '',
    ])
    const ours = `error,${HEADER}\nhas 9 fields,wise,USD,KES,1,500,,,,,\n`
    expect(rejectsOf(await read(ours)).split('\n')[1]).toBe(
      'has 11 fields where the header has 9,wise,USD,KES,1,500,,,,,',
    )
  })

  test('the copies of JSON rejects keep every digit and replace an older error', async () => {
    const { rejects } = await read(
      '{"provider_id":"x","from":"USD","to":"KES","rate":1.12345678901234567,"error":"old"}\n{oops\n',
    )
    expect(rejects.map(({ copy }) => copy)).toEqual([
      '{"provider_id":"x","from":"USD","to":"KES","rate":1.12345678901234567,' +
        '"error":"provider_id \\"x\\" is not an active id of /providers"}',
      '{"line":"{oops","error":"is not valid JSON"}',
    ])
  })
})

describe('a CSV as a spreadsheet saves it', () => {
  const TOP = 'provider_id;from;to;rate;fee;effective_from\n'
  const written = { decimal: ',', dates: 'dd/MM/yyyy', timeZone: 'Africa/Lagos' } as const

  test('has semicolons, decimal commas, and local times and dates', async () => {
    const text =
      `${TOP}wise;USD;KES;129,5;;05/03/2026 09:00\n` +
      'wise;USD;KES;"1.284,50";1.234.567;2026-03-05\nwise;USD;KES;130;0,5;2026-03-05T09:00:00Z\n'
    const { rows, rejects } = await read(text, undefined, written)
    expect(rejects).toEqual([])
    expect(rows.map(({ rate, fee, effectiveMs }) => [rate, fee, effectiveMs])).toEqual([
      ['129.5', null, Date.parse('2026-03-05T08:00:00Z')],
      ['1284.50', '1234567', Date.parse('2026-03-04T23:00:00Z')],
      ['130', '0.5', Date.parse('2026-03-05T09:00:00Z')],
    ])
  })

  test('may have tabs, and quotes around what has a separator in it', async () => {
    const text = 'provider_id\tfrom\tto\trate\tnotes\nwise\tUSD\tKES\t129.5\t"a\tb; c, d"\n'
    const { rows } = await read(text)
    expect(rows).toEqual([{ ...USD_KES, notes: 'a\tb; c, d' }])
  })

  const one = async (fields: string, notation?: Partial<Notation>) => {
    const { rows, rejects } = await read(`${TOP}wise;USD;KES;${fields}\n`, undefined, notation)
    expect(rows).toEqual([])
    return rejects.flatMap(({ fault }) => fault.split('; '))
  }

  test('without a notation gets errors that name the settings', async () => {
    expect(await one('129,5;1,5;03/04/2026')).toEqual([
      'rate must be a number with a decimal point, not "129,5": if the comma is a decimal comma, ' +
        'give --decimal ,',
      'fee must be a number with a decimal point, not "1,5": if the comma is a decimal comma, ' +
        'give --decimal ,',
      'effective_from "03/04/2026" could be two dates: give --dates dd/MM/yyyy or --dates MM/dd/yyyy',
    ])
    expect(await one('1;;2026-03-05 09:00')).toEqual([
      'effective_from "2026-03-05 09:00" has no time zone: give the one it was written in, as ' +
        '--time-zone Africa/Lagos',
    ])
  })

  test('is not misread by the notation of another file', async () => {
    expect(await one('1.284;;', written)).toEqual([
      'rate must be a number with a decimal comma, such as 1284,50, not "1.284"',
    ])
    expect(await one('1;;03/14/2026', written)).toEqual([
      'effective_from "03/14/2026" is not on the calendar',
    ])
    const { rows } = await read(`${TOP}wise;USD;KES;1;;03/04/2026\n`, undefined, {
      dates: 'MM/dd/yyyy',
      timeZone: 'UTC',
    })
    expect(rows[0]!.effectiveMs).toBe(Date.parse('2026-03-04T00:00:00Z'))
  })

  test('is named if it is still a workbook', async () => {
    const bytes = Buffer.from('PK\u0003\u0004\u0014\u0000[Content_Types].xml')
    await expect(read(bytes)).rejects.toThrow('is an Excel workbook: save its sheet as CSV')
  })
})
