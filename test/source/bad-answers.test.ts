import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { FeedError } from '~/domain/feed/feed.ts'
import type { BankDay, BankRate } from '~/domain/source/day.ts'
import type { Bank, BankAnswer, BankRequest } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { answersOf, answerTo, askedOf, type BankName, NAMES, SPANS } from './recordings.ts'

const SHEET = 'xl/worksheets/sheet1.xml'

/**
 * Result of a bank's source for other bytes than the recorded response; null if it refuses them.
 */
function readAs(name: BankName, { request }: BankAnswer, bytes: Uint8Array): BankDay[] | null {
  const bank: Bank = BANKS[name]
  try {
    return [...bank.read(answerTo(request, bytes), SPANS[name])]
  } catch (error) {
    // A TypeError comes from the decoder: the bytes are in another charset, which the fetcher
    // reports.
    if (!(error instanceof FeedError) && !(error instanceof TypeError)) throw error
    return null
  }
}

const keyed = (days: readonly BankDay[]): Map<string, BankRate> =>
  new Map(days.flatMap(({ atMs, rates }) => rates.map((r) => [`${atMs} ${r.currency}`, r])))

/** Expects that only the values of the untouched response were read. */
function expectNothingWrong(name: BankName, answer: BankAnswer, bytes: Uint8Array): void {
  const truth = keyed(BANKS[name].read(answer, SPANS[name]))
  for (const [key, rate] of keyed(readAs(name, answer, bytes) ?? []))
    expect([key, rate]).toEqual([key, truth.get(key)!])
}

/** The text that holds the numbers of a response; of a spreadsheet, that of its sheet. */
const textOf = ({ request, bytes, text }: BankAnswer): string =>
  request.format === 'spreadsheet' ? strFromU8(unzipSync(bytes)[SHEET]!) : text

/** The bytes of a response with its text replaced. */
function withText({ request, bytes }: BankAnswer, text: string): Uint8Array {
  if (request.format !== 'spreadsheet')
    return Buffer.from(text, request.charset === undefined ? 'utf8' : 'latin1')
  return zipSync({ ...unzipSync(bytes), [SHEET]: strToU8(text) })
}

const ERROR_PAGE = '<!doctype html><html><body><h1>503 Service Unavailable</h1></body></html>'

for (const name of NAMES)
  describe(name, () => {
    const bank: Bank = BANKS[name]

    test('a response that is cut off gives an error or true rates, wherever it is cut', async () => {
      const answers = answersOf(name)
      fc.assert(
        fc.property(
          fc.nat(answers.length - 1),
          fc.double({ min: 0, max: 1, noNaN: true }),
          (i, part) => {
            const answer = answers[i]!
            expectNothingWrong(name, answer, answer.bytes.slice(0, part * answer.bytes.length))
          },
        ),
        { numRuns: 40 },
      )
    })

    test('half a response is refused', async () => {
      for (const answer of answersOf(name).filter(({ request }) => request.format !== 'csv'))
        if (name !== 'bct') {
          const half = answer.bytes.slice(0, answer.bytes.length / 2)
          expect(readAs(name, answer, half)).toBeNull()
        }
    })

    test.each([
      ['an error page', ERROR_PAGE],
      ['a page with another table', '<table><tr><td>Menu</td><td>Search</td></tr></table>'],
      ['nothing', ''],
      ['a word', '"maintenance"'],
      ['an error in JSON', '{"error":"maintenance","data":null,"genericResponse":null}'],
      ['rows of another kind', '[{"a":1},{"a":2}]'],
      ['numbers', '[1,2,3]'],
    ])('%s with status 200 is refused', async (_what, text) => {
      const [answer] = answersOf(name)
      expect(readAs(name, answer!, Buffer.from(text))).toBeNull()
      const [first] = askedOf(name)
      const asked = () => bank.next?.(answerTo(first!, Buffer.from(text)), SPANS[name])
      if (bank.next) expect(asked).toThrow(FeedError)
    })

    test('commas for points and points for commas give no price', async () => {
      for (const answer of answersOf(name)) {
        const swapped = textOf(answer).replace(/(?<=\d)[.,](?=\d)/g, (c) => (c === '.' ? ',' : '.'))
        expectNothingWrong(name, answer, withText(answer, swapped))
      }
    })

    test('a price of ten is not read as ten thousand, whichever separator it has', async () => {
      for (const answer of answersOf(name))
        for (const separator of ['.', ',', ' ', "'"]) {
          const text = textOf(answer).replace(/(?<=\d)[.,]\d{3,4}(?=\D)/g, `${separator}000`)
          for (const { rates } of readAs(name, answer, withText(answer, text)) ?? [])
            for (const rate of rates)
              expect(Number(rate.central ?? rate.buying)).toBeLessThan(20_000)
        }
    })

    test('dates of the next year give no day up to now', async () => {
      for (const answer of answersOf(name)) {
        const text = nextYear(name, textOf(answer))
        for (const { atMs } of readAs(name, answer, withText(answer, text)) ?? [])
          expect(atMs).toBeGreaterThan(SPANS[name].untilMs)
      }
    })

    test('an unknown currency is left out, and the others are read', async () => {
      for (const answer of answersOf(name)) {
        const text = textOf(answer).replace(/\b(USD|US DOLLAR|Dollar us|GBP)\b/g, 'QQQ')
        expectNothingWrong(name, answer, withText(answer, text))
      }
    })

    test('a column that moves with its heading is read where it is', async () => {
      for (const answer of answersOf(name)) {
        const rotated = ROTATED[answer.request.format]?.withHeadings?.(textOf(answer))
        if (rotated === undefined) continue
        const moved = withText(answer, rotated)
        expect(readAs(name, answer, moved)).toEqual([...bank.read(answer, SPANS[name])])
      }
    })

    test('columns that move away from their headings are refused', async () => {
      for (const answer of answersOf(name)) {
        const rotated = ROTATED[answer.request.format]?.alone(textOf(answer))
        if (rotated === undefined) continue
        expect(readAs(name, answer, withText(answer, rotated))).toBeNull()
      }
    })

    test('a repeated row is returned twice, for the guard to compare', async () => {
      const [answer] = answersOf(name)
      if (answer!.request.format !== 'json' || !answer!.text.includes('[')) return
      const twice = withText(answer!, doubled(answer!.text))
      const [once] = bank.read(answer!, SPANS[name])
      const [both] = readAs(name, answer!, twice)!
      expect(both!.rates).toHaveLength(once!.rates.length * 2)
    })

    test('another charset gives an error or true values', async () => {
      for (const answer of answersOf(name))
        for (const charset of ['utf16le', 'latin1'] as const)
          expectNothingWrong(name, answer, Buffer.from(answer.text, charset))
    })
  })

/** A response with every date a year later. */
function nextYear(name: BankName, text: string): string {
  if (name === 'cbg') return text.replace(/\d{12,13}/g, (ms) => String(Number(ms) + 4e10 * 86.4))
  if (name === 'cbe') return text.replace(/(?<=<v>)46\d{3}/g, (day) => String(Number(day) + 365))
  const far = (year: string) => String(Math.max(Number(year), 2025) + 2)
  return text.replace(/\b20[012]\d\b(?!\.)/g, far).replace(/(?<=-[A-Z][a-z]{2}-)\d{2}/g, '28')
}

/** A JSON response with each of its lists twice. */
function doubled(text: string): string {
  const twice = (value: unknown): unknown => {
    if (Array.isArray(value)) return [...value, ...value]
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, twice(inner)]))
  }
  return JSON.stringify(twice(JSON.parse(text)))
}

const rotate = <T>([first, ...others]: readonly T[]): T[] => [...others, first!]

const rotatedCsv = (text: string, isHeadingFixed: boolean): string => {
  const [heading, ...lines] = text.split('\n')
  const turned = (line: string) => rotate(line.split(',')).join(',')
  const top = isHeadingFixed ? heading! : turned(heading!.replace('\ufeff', ''))
  return [top, ...lines.map(turned)].join('\n')
}

const rotatedTable = (html: string, isHeadingFixed: boolean): string =>
  html.replace(/<tr[^>]*>[\s\S]*?<\/tr>/g, (row, at: number) => {
    const isHeading = !/<tr/.test(html.slice(html.lastIndexOf('<table', at), at))
    const cells = row.match(/<t[dh][\s>][\s\S]*?<\/t[dh]>/g)!
    return isHeading && isHeadingFixed ? row : `<tr>${rotate(cells).join('')}</tr>`
  })

const rotatedSheet = (xml: string, isHeadingFixed: boolean): string =>
  xml.replace(/(?<=<c r=")([ABCD])(\d+)/g, (cell, column: string, row: string) =>
    isHeadingFixed && Number(row) <= 2 ? cell : `${'BCDA'['ABCD'.indexOf(column)]}${row}`,
  )

/** Reports whether a JSON value holds rows by a name of each: `{"2026-05-19":{"USD":"18.6"}}`. */
const isOfRows = (value: unknown): value is Record<string, object> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((inner) => typeof inner === 'object' && inner !== null)

/**
 * Every row with its values shifted to the next name; rows that are lists with their values
 * rotated.
 */
function rotatedJson(text: string): string {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value))
      return typeof value[0] === 'object' ? value.map(turned) : rotate(value)
    if (typeof value !== 'object' || value === null) return value
    if (isOfRows(value))
      return Object.fromEntries(Object.entries(value).map(([name, row]) => [name, turned(row)]))
    const list = Object.entries(value).find(
      ([, inner]) => typeof inner?.[0] === 'object' || (!Array.isArray(inner) && isOfRows(inner)),
    )
    if (list) return { ...value, [list[0]]: turned(list[1]) }
    const names = Object.keys(value)
    return Object.fromEntries(rotate(names).map((name, i) => [name, Object.values(value)[i]]))
  }
  return JSON.stringify(turned(JSON.parse(text)))
}

type Rotation = {
  readonly alone: (text: string) => string
  /** Absent where values carry their names with them. */
  readonly withHeadings?: (text: string) => string
}

const rotationOf = (rotated: (text: string, isHeadingFixed: boolean) => string): Rotation => ({
  alone: (text) => rotated(text, true),
  withHeadings: (text) => rotated(text, false),
})

/** Moves the first column of a response to the end, by format; null for one without columns. */
const ROTATED: Readonly<Record<BankRequest['format'], Rotation | null>> = {
  csv: rotationOf(rotatedCsv),
  html: rotationOf(rotatedTable),
  spreadsheet: rotationOf(rotatedSheet),
  json: { alone: rotatedJson },
}
