import { describe, expect, test } from 'bun:test'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Bank, BankAnswer } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { answersOf, answerTo, type BankName, DAY, SPANS } from './recordings.ts'

/** The first recorded response of a bank, with a replacement in it. */
async function changed(name: BankName, change: (text: string) => string): Promise<BankAnswer> {
  const [{ request, text }] = answersOf(name) as [BankAnswer]
  return answerTo(request, Buffer.from(change(text), request.charset ? 'latin1' : 'utf8'))
}

const read = (name: BankName, answer: BankAnswer) => BANKS[name].read(answer, SPANS[name])

describe('a day without rates', () => {
  test('BCEAO: on a holiday a heading without a table', async () => {
    const holiday = await changed('bceao', (text) => text.slice(0, text.indexOf('<table')))
    expect(read('bceao', holiday)).toEqual([])
  })

  test('Tunisia: the rates of a previous day, which are not those of the day', async () => {
    const before = await changed('bct', (text) => text.replaceAll('19/05/2026', '15/05/2026'))
    expect(read('bct', before)).toEqual([])
  })

  test('Tunisia: a notice of the database', async () => {
    const notice = await changed('bct', () => '<p>java.sql.SQLException: Exhausted Resultset</p>')
    expect(read('bct', notice)).toEqual([])
  })

  test('Angola, Rwanda, South Africa: an empty list', async () => {
    const empty = await changed('bna', () => '{"genericResponse":[],"success":true}')
    expect(read('bna', empty)).toEqual([])
    expect(read('bnrrw', await changed('bnrrw', () => '[]'))).toEqual([])
    expect(read('sarb', await changed('sarb', () => '[]'))).toEqual([])
  })
})

describe('a refused response', () => {
  const refused: [what: string, name: BankName, change: (text: string) => string][] = [
    ['another day than was asked for', 'bceao', (t) => t.replace('16 mars', '17 mars')],
    ['a day after the one asked for', 'bct', (t) => t.replaceAll('19/05/2026', '20/05/2026')],
    ['a series that is turned over', 'sarb', (t) => t.replaceAll('Rand per US', 'US per Rand')],
    ['a time in place of a midnight', 'cbg', (t) => t.replace(/00000,/g, '00001,')],
    ['buying above selling', 'rbm', (t) => swapped(t, 'Buying', 'Selling')],
    ['a middle outside of the sides', 'bota', (t) => swapped(t, 'Sell', 'Mean')],
    ['buying above selling', 'cbn', (t) => swapped(t, 'buyingrate', 'sellingrate')],
    ['a number of units that nobody uses', 'bam', (t) => t.replaceAll(':100}', ':12}')],
    ['prices for another unit', 'cbllr', (t) => t.replaceAll('/US$1.00', '/US$100.00')],
    ['dates with the month first', 'cbk', (t) => t.replaceAll('19\\/03\\/', '03\\/19\\/')],
    ['a day that no calendar has', 'cbn', (t) => t.replaceAll('-05-21', '-05-41')],
  ]

  test.each(refused)('%s (%s)', async (_what, name, change) => {
    const answer = await changed(name, change)
    expect(() => read(name, answer)).toThrow(FeedError)
  })

  test('numbers that were cut to fewer decimals (bob)', async () => {
    const answer = await changed('bob', (text) => text.replaceAll(/(\.\d{3})\d\b/g, '$1'))
    expect(() => read('bob', answer)).toThrow('has not four decimals')
  })

  test('a page without the token of its form, before anything is sent', () => {
    for (const bank of [BANKS.bota, BANKS.cbe] as Bank[]) {
      const [request] = bank.requests(SPANS.bota)
      const page = answerTo(request!, Buffer.from('<form><input name="q" value="1"></form>'))
      expect(() => bank.next!(page, SPANS.bota)).toThrow('has no form with the required token')
    }
  })

  test('a spreadsheet that promises to unpack to more than a bound', async () => {
    const [answer] = answersOf('cbe')
    const parts = unzipSync(answer!.bytes)
    const bomb = zipSync({ ...parts, 'xl/worksheets/sheet1.xml': new Uint8Array(17 * 2 ** 20) })
    expect(bomb.length).toBeLessThan(64 * 1024)
    expect(() => read('cbe', { ...answer!, bytes: bomb })).toThrow('unpacks to more than 16 MiB')
  })

  test('a spreadsheet with a false unpacked size', async () => {
    const [answer] = answersOf('cbe')
    const name = 'xl/worksheets/sheet1.xml'
    const bomb = zipSync({ [name]: new Uint8Array(2 ** 20) })
    const size = bomb.length - 22 - 46 - name.length
    new DataView(bomb.buffer).setUint32(size + 24, 1000, true)
    expect(() => read('cbe', { ...answer!, bytes: bomb })).toThrow(FeedError)
  })

  test('a spreadsheet with an incomplete sheet', async () => {
    const [answer] = answersOf('cbe')
    const parts = unzipSync(answer!.bytes)
    const name = 'xl/worksheets/sheet1.xml'
    const half = new TextDecoder().decode(parts[name]!.slice(0, parts[name]!.length / 2))
    const bytes = zipSync({ ...parts, [name]: strToU8(half) })
    expect(() => read('cbe', { ...answer!, bytes })).toThrow('a whole Excel workbook')
  })
})

describe('a left out row', () => {
  test('gold, special drawing rights and withdrawn currencies', async () => {
    const [answer] = answersOf('bna')
    expect(answer!.text).toContain('"XAU"')
    const codes = read('bna', answer!).flatMap(({ rates }) => rates.map((r) => r.currency))
    expect(
      codes.filter((code) => ['XAU', 'XDR', 'EEK', 'HRK', 'STD', 'ZMK'].includes(code)),
    ).toEqual([])
  })

  test('the cash rates below those between banks (bct)', async () => {
    const [answer] = answersOf('bct')
    const usd = read('bct', answer!)[0]!.rates.filter(({ currency }) => currency === 'USD')
    expect(answer!.text).toContain('2,918')
    expect(usd.map(({ central }) => central)).toEqual(['2.9021'])
  })

  test('a currency with a name that every object has', async () => {
    for (const [name, currency] of [
      ...([
        ['bceao', 'Dollar us'],
        ['cbk', 'US DOLLAR'],
      ] as const),
      ...([
        ['bam', 'GBP'],
        ['bna', 'GBP'],
      ] as const),
    ]) {
      const odd = await changed(name, (text) => text.replaceAll(currency, 'constructor'))
      const codes = read(name, odd).flatMap(({ rates }) => rates.map((rate) => rate.currency))
      expect([name, codes.filter((code) => typeof code !== 'string')]).toEqual([name, []])
    }
    const [answer] = answersOf('cbe')
    const parts = Object.entries(unzipSync(answer!.bytes)).map(([name, bytes]) => [
      name,
      name.endsWith('.xml')
        ? strToU8(new TextDecoder().decode(bytes).replaceAll('US Dollar', 'constructor'))
        : bytes,
    ])
    const odd = { ...answer!, bytes: zipSync(Object.fromEntries(parts)) }
    const codes = read('cbe', odd).flatMap(({ rates }) => rates.map((rate) => rate.currency))
    expect([codes.includes('EUR'), codes.includes('USD')]).toEqual([true, false])
  })

  test('a misprint among many rows, alone', async () => {
    const [answer] = answersOf('cbk')
    const misprinted = await changed('cbk', (text) => text.replace('"129.5200"', '"12a.5200"'))
    const rates = (from: BankAnswer) => read('cbk', from).flatMap((day) => day.rates)
    expect(rates(misprinted)).toHaveLength(rates(answer!).length - 1)
  })

  test('zero, which Botswana writes for a missing rate', async () => {
    const [answer] = answersOf('bob')
    expect(answer!.text).toContain('"27 Apr 2009",0.0000')
    const oldest = read('bob', answer!).at(-1)!
    expect(oldest.rates.map(({ currency }) => currency)).not.toContain('CNY')
  })
})

describe('the requests for a span', () => {
  test('Liberia: as many pages as the span may fill, five years at most', () => {
    const untilMs = DAY('2026-05-23')
    const pages = (sinceMs: number) => BANKS.cbllr.requests({ sinceMs, untilMs }).length
    expect(pages(untilMs)).toBe(1)
    expect(pages(DAY('2026-04-23'))).toBe(1)
    expect(pages(DAY('2026-04-22'))).toBe(2)
    expect(pages(DAY('2021-05-23'))).toBe(61)
    expect(pages(DAY('2001-05-23'))).toBe(70)
  })

  test('a day of the bank, not of Greenwich', () => {
    const late = Date.parse('2026-05-18T22:30:00Z')
    const [request] = BANKS.nbe.requests({ sinceMs: late, untilMs: late })
    expect(request!.url).toEndWith('date=2026-05-19')
  })
})

/** A string with two names swapped. */
const swapped = (text: string, a: string, b: string): string =>
  text.replaceAll(a, '\0').replaceAll(b, a).replaceAll('\0', b)
