import { describe, expect, test } from 'bun:test'
import { readReferenceFile } from '~/file/references.ts'
import { byteChunks } from '../support/byte-chunks.ts'

const NOW_MS = Date.parse('2026-03-05T14:00:00.000Z')

async function read(text: string) {
  const rows = []
  const rejects = []
  for await (const batch of readReferenceFile(byteChunks(text), NOW_MS)) {
    rows.push(...batch.rows)
    rejects.push(...batch.rejects)
  }
  return { rows, rejects }
}

const HEADER = 'fetched_at,source,currency,per_usd'

describe('readReferenceFile', () => {
  test('reads times and dates, columns in any order, every digit of a rate', async () => {
    const text =
      'per_usd,note,currency,source,fetched_at\n' +
      '129.012345678901234,x,kes,feed a,2026-03-05T14:00:00Z\n' +
      '1,,USD,"feed, b",2026-03-04\n'
    expect(await read(text)).toEqual({
      rows: [
        { fetchedMs: NOW_MS, source: 'feed a', currency: 'KES', perUsd: '129.012345678901234' },
        {
          fetchedMs: Date.parse('2026-03-04T00:00:00Z'),
          source: 'feed, b',
          currency: 'USD',
          perUsd: '1',
        },
      ],
      rejects: [],
    })
  })

  const TIME = 'fetched_at must be an ISO-8601 date-time with offset, or a date'
  const SOURCE = 'source must be a text of 1 to 100 characters on one line'
  const PER_USD = 'per_usd must be a number between 1e-12 and 1000000000000'
  const wrong: [string, string][] = [
    ['2026-02-30,feed,KES,129', TIME],
    ['2026-03-05 14:00,feed,KES,129', TIME],
    ['2026-03-05T14:00:00.001Z,feed,KES,129', 'fetched_at must not be in the future'],
    ['2026-03-06,feed,KES,129', 'fetched_at must not be in the future'],
    ['1969-12-31,feed,KES,129', 'fetched_at must not be before 1970'],
    ['2026-03-05,,KES,129', SOURCE],
    [`2026-03-05,${'x'.repeat(101)},KES,129`, SOURCE],
    ['2026-03-05,feed,KE,129', 'currency must be a code of 3 or 4 letters'],
    ['2026-03-05,feed,KES,', PER_USD],
    ['2026-03-05,feed,KES,0', PER_USD],
    [
      '2026-03-05,feed,KES,"1,284.50"',
      'per_usd must be a number with a decimal point and without commas between its thousands, ' +
        'such as 1284.50',
    ],
    ['2026-03-05,feed,KES,-1', PER_USD],
    ['2026-03-05,feed,KES,NaN', PER_USD],
    ['2026-03-05,feed,KES,Infinity', PER_USD],
    ['2026-03-05,feed,KES,0x10', PER_USD],
    ['2026-03-05,feed,KES,1e13', PER_USD],
    ['2026-03-05,feed,KES,1.234567890123456789', 'per_usd has more than 18 significant digits'],
    ['2026-03-05,feed,USD,1.01', 'per_usd of USD must be 1'],
    ['2026-03-05,feed,KES', 'has 3 fields where the header has 4'],
    ['never,,?,x', `${TIME}; ${SOURCE}; currency must be a code of 3 or 4 letters; ${PER_USD}`],
  ]
  for (const [line, fault] of wrong)
    test(`rejects ${line.slice(0, 60)}`, async () => {
      const { rows, rejects } = await read(`${HEADER}\n${line}\n2026-03-05,feed,NGN,1500\n`)
      expect(rejects).toEqual([{ number: 2, fault }])
      expect(rows).toHaveLength(1)
    })

  test('accepts a source of the greatest length', async () => {
    const { rows } = await read(`${HEADER}\n2026-03-05,${'é'.repeat(100)},KES,129\n`)
    expect(rows).toHaveLength(1)
  })

  test('a file without a usable header is refused as a whole', async () => {
    await expect(read('')).rejects.toThrow('the file is empty')
    await expect(read('fetched_at,currency\n')).rejects.toThrow(
      'line 1, the header, lacks source, per_usd',
    )
    await expect(read(`${HEADER},source\n`)).rejects.toThrow('names "source" twice')
  })
})
