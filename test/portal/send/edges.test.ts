import { beforeEach, describe, expect, test } from 'bun:test'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { rowsOf, textOf, visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'
const PAGE = '/send/united-states-to-kenya'
const FRAME = '/embed?source=US&target=KE'

let world: World
beforeEach(() => {
  world = new World()
  world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
})

const between = (more = {}) => offer({ sourceCountry: 'US', targetCountry: 'KE', ...more })
const at = (amount: number, more = {}) => between({ amountMin: amount, amountMax: amount, ...more })
const price = { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER }
const seen = async (path: string): Promise<string> => textOf((await visit(world, path)).text)

test('the list of pairs says how many of them it lists, if not all', async () => {
  const codes = [...COUNTRIES.keys()].slice(0, 46)
  const pairs = codes.flatMap((sourceCountry) =>
    codes
      .filter((targetCountry) => targetCountry !== sourceCountry)
      .map((targetCountry) => ({ sourceCountry, targetCountry })),
  )
  world.quote(...pairs.slice(0, 2000).map((pair) => ({ ...price, offer: offer(pair) })))
  expect(await seen('/send')).not.toContain('The first')
  world.quote({ ...price, offer: offer(pairs[2000]!) })
  expect(await seen('/send')).toContain('The first 2,000 of 2,001.')
})

describe('an amount that no provider priced', () => {
  beforeEach(() => {
    world.quote({ ...price, offer: at(150) }, { ...price, rate: 129, offer: at(400) })
    world.quote({ ...price, rate: 200, providerId: 'retail-b', offer: at(7) })
  })

  test.each([`${PAGE}?amount=1000000000`, '/?from=USD&to=KES&amount=1000000000'])(
    'has no winner at %s, but links to the amounts with prices',
    async (path) => {
      const { status, text } = await visit(world, path)
      expect(status).toBe(200)
      expect(textOf(text)).toContain('Prices of USD/KES are known for 75 to 800 USD.')
      const links = [...text.matchAll(/href="([^"]*)">Prices for ([^<]*)/g)]
      const start = path.slice(0, path.indexOf('amount=')).replaceAll('&', '&amp;')
      expect(links.map(([, href, amount]) => [href, amount])).toEqual([
        [expect.stringContaining(`${start}amount=150`), '$150'],
        [expect.stringContaining(`${start}amount=400`), '$400'],
      ])
      expect(text).not.toContain('tag-good')
      expect(textOf(text)).not.toContain('At best')
      const [row] = rowsOf(text).filter(([who]) => who?.includes('retail-a'))
      expect(row!.slice(0, 3)).toEqual([
        expect.stringContaining('priced for $400 alone'),
        'no price for this amount',
        'not known for this amount',
      ])
    },
  )

  test('is reported in a frame, which shows no price for it', async () => {
    const text = await seen(`${FRAME}&amount=1000000000`)
    expect(text).toContain('Prices of USD/KES are known for 75 to 800 USD.')
    expect(text).not.toContain('Provider')
  })

  test('is not the default of a page, which is the surveyed amount nearest to the usual one', async () => {
    for (const path of [PAGE, '/?from=USD&to=KES'])
      expect((await visit(world, path)).text).toContain(
        'id="amount" name="amount" type="text" value="150"',
      )
    expect(await seen(FRAME)).toContain('What arrives for $150')
  })
})

test('the page of a pair has the mid, or says that there is none', async () => {
  world.quote({ ...price, offer: at(150) })
  expect(await seen(PAGE)).toContain('The mid-market rate is 131.00 KES for 1 USD, from feed,')
  world.clock.advance(100 * 3_600_000)
  expect(await seen(PAGE)).toContain('there is no mid to compare with')
})

test('a description counts the comparable prices for the amount', async () => {
  const said = async (query = '') => {
    const { text } = await visit(world, PAGE + query)
    return /name="description" content="([^"]*)"/.exec(text)![1]
  }
  world.quote({ ...price, offer: at(150) }, { ...price, rate: 129, providerId: 'official-a' })
  world.quote({ ...price, rate: 190, providerId: 'retail-b', offer: at(150) })
  expect(await said()).toContain('one price compared')
  expect(await said('?amount=5000')).toBe(
    'Prices of sending money from the United States to Kenya.',
  )
})

describe('an amount near the surveyed ones', () => {
  test('is led by the price that is cheapest at its own amount, and claims no maximum', async () => {
    world.quote({ ...price, fee: 6, feeCurrency: 'USD', offer: at(200) })
    world.quote({ ...price, rate: 127, fee: 0, providerId: 'retail-b', offer: at(200) })
    const { text } = await visit(world, `${PAGE}?amount=400`)
    expect(textOf(text)).toContain(
      "About what they'd get for $400 50,800.00 KES with Provider retail-b",
    )
    expect(textOf(text)).toContain('1Provider retail-a')
    expect(textOf(text)).toContain('420.00 KES more')
    expect(text).not.toContain('At best')
    expect(await seen(`${PAGE}?recipient_gets=50000`)).toContain(
      'About what to send for 50,000 KES $393.70 with Provider retail-b',
    )
  })
})

describe('a suspect price', () => {
  beforeEach(() => {
    world.quote(
      { ...price, offer: at(150) },
      { ...price, rate: 150, providerId: 'retail-b', offer: at(150) },
    )
    world.quote({ ...price, rate: 132, fee: 0, providerId: 'p2p-a', offer: at(150) })
  })

  test('comes last of its kind, marked with its sentence, and never leads', async () => {
    const { text } = await visit(world, PAGE)
    expect(textOf(text)).toContain("Most they'd get for $150 19,800.00 KES with Provider p2p-a")
    const rows = rowsOf(text).filter((row) => row[0]?.includes('Provider retail'))
    expect(rows.map(([who]) => who)).toEqual([
      expect.stringContaining('1Provider retail-a'),
      expect.stringContaining('suspect: 14.5% above the mid of its day'),
    ])
    expect(rows[1]![1]).toBe('22,350.00')
    expect(await seen(FRAME)).not.toContain('retail-b')
  })

  test('is in the average, and the average without it is next to that', async () => {
    const text = await seen(PAGE)
    expect(text).toContain('Average of 3 offers')
    expect(text).toMatch(/On average it is 4\.39% better than the mid of its day\./)
    expect(text).toContain('The average without suspect prices 0.33%')
    world.quote({ ...price, rate: 131, providerId: 'retail-b', offer: at(150) })
    expect(await seen(PAGE)).not.toContain('without suspect prices')
  })
})

describe('the cost of a price', () => {
  test('is a sentence of where the money goes, in parts that add up', async () => {
    world.quote({ ...price, rate: 128, fee: 2.99, offer: at(150) })
    expect(await seen(PAGE)).toContain(
      'Total cost $6.43 (4.28%). $3.44 of your $150 goes to the exchange rate, $2.99 to the fee.',
    )
  })

  test('is put in words if the rate is better than the mid', async () => {
    world.quote({ ...price, rate: 132, fee: 0, offer: at(150) })
    const text = await seen(PAGE)
    expect(text).toContain('In all it is $1.15 (0.76%) better than the mid of its day.')
    expect(text).toContain('with Provider retail-a, which charges no fee; price seen')
    expect(text).not.toContain('\u2212')
    expect(await seen(FRAME)).toContain('0.76% better than the mid of its day')
    expect(await seen(`${PAGE}?amount=200`)).toContain(
      'In all it is 0.76% better than the mid of its day, for $150, the nearest amount with a price.',
    )
  })

  test('names and links the three of SmaRT', async () => {
    world.quote(
      { ...price, offer: at(150) },
      { ...price, providerId: 'retail-b', offer: at(150) },
      { ...price, providerId: 'p2p-a', offer: at(150) },
    )
    const { text } = await visit(world, PAGE)
    const [, named] = /The three cheapest are (.*?)\.<\/p>/.exec(text)!
    expect(named!.match(/href="\/providers\/[\w-]+"/g)).toHaveLength(3)
  })

  test('distinguishes the three of SmaRT if one provider has several', async () => {
    const card = { payIn: ['debit_card'], channel: 'internet' } as const
    const cash = { payIn: ['cash'], channel: 'internet' } as const
    const three = async () => /The three cheapest are .*?\)\./.exec(await seen(PAGE))![0]
    world.quote({ ...price, rate: 131, fee: 0, offer: at(150, card) })
    world.quote({ ...price, rate: 130, fee: 0, offer: at(150, cash) })
    world.quote({ ...price, rate: 129, fee: 0, providerId: 'p2p-a', offer: at(150, cash) })
    expect(await three()).toBe(
      'The three cheapest are Provider retail-a (pay by debit card: 0.00%), ' +
        'Provider retail-a (pay by cash: 0.76%) and Provider p2p-a (1.53%).',
    )
    world.quote({ ...price, rate: 130.5, fee: 0, offer: at(150, { ...card, service: 'Price 2' }) })
    expect(await three()).toContain(
      'card: 0.00%), another price of Provider retail-a (pay by debit card: 0.38%) and ',
    )
  })

  test('is in percent alone if it is of another amount', async () => {
    world.quote({ ...price, rate: 128, offer: at(150) })
    expect(await seen(PAGE)).toContain('The one offer whose cost is known 2.96%, $4.44')
    const text = await seen(`${PAGE}?amount=200`)
    expect(text).toContain('The one offer whose cost is known 2.96% ')
  })

  test('is one sentence in a row too if it is below zero', async () => {
    world.quote({ ...price, rate: 132, fee: 0, offer: at(150) })
    const row = rowsOf((await visit(world, PAGE)).text).find(([who]) => who?.includes('retail-a'))
    expect(row![2]).toBe('$1.15 (0.76%) better than the mid of its day')
    expect(await seen(PAGE)).toContain(
      'The one offer whose cost is known $1.15 (0.76%) better than the mid of its day',
    )
  })
})

test('a number as a service is never shown as its name', async () => {
  world.quote({ ...price, offer: at(150, { service: 'Price 2' }) })
  expect(await seen(PAGE)).toContain('one of several prices of this provider')
  const board = '/?from=USD&to=KES&amount=150'
  for (const path of [PAGE, `${PAGE}?offers=all`, board, FRAME, '/providers/retail-a', '/send'])
    expect([path, await seen(path)]).toEqual([path, expect.not.stringContaining('Price 2')])
})

describe('a currency of several countries on the board', () => {
  const from = (sourceCountry: string) => offer({ sourceCountry, targetCountry: 'KE' })
  const BOARD = '/?from=USD&to=KES&amount=150'

  test('has a best price of one country, which it names, below each with its own', async () => {
    world.quote({ ...price, offer: from('ZW') })
    world.quote({ ...price, rate: 129, providerId: 'retail-b', offer: from('US') })
    const { text } = await visit(world, BOARD)
    expect(textOf(text)).toContain("Most they'd get for $150, from Zimbabwe to Kenya")
    expect(text).toContain('best from Zimbabwe to Kenya</span>')
    expect(text).not.toContain('>best</span>')
    const links = textOf(text.slice(text.indexOf('aria-label="Prices by country"')))
    expect(links).toContain('United States to Kenya 19,221.00 KES')
    expect(links).toContain('Zimbabwe to Kenya 19,370.00 KES')
    expect(text).toContain('href="/send/zimbabwe-to-kenya?amount=150"')
    expect(text.indexOf('Prices by country')).toBeLessThan(text.indexOf("Most they'd get"))
  })

  test('says that the best of a country is about right for an amount that has no price', async () => {
    world.quote({ ...price, offer: from('ZW') })
    const surveyed = { sourceCountry: 'US', targetCountry: 'KE', amountMin: 200, amountMax: 200 }
    world.quote({ ...price, rate: 129, providerId: 'retail-b', offer: offer(surveyed) })
    const { text } = await visit(world, BOARD)
    const links = textOf(text.slice(text.indexOf('aria-label="Prices by country"')))
    expect(links).toContain('United States to Kenya ≈ 19,221.00 KES')
    expect(links).toContain('Zimbabwe to Kenya 19,370.00 KES')
  })

  test('has a best price for any sender if that price names no country', async () => {
    world.quote(price, { ...price, rate: 129, providerId: 'retail-b', offer: from('US') })
    const { text } = await visit(world, BOARD)
    expect(text).toContain('>best</span>')
    expect(text).not.toContain('Prices by country')
    expect(textOf(text)).toContain("Most they'd get for $150 19,370.00 KES")
  })
})

test('the page links the costs of a pair as a file, without a key', async () => {
  world.quote({ ...price, rate: 128, offer: at(150) })
  const [, href] = /href="([^"]*)">Every offer as CSV/.exec((await visit(world, PAGE)).text)!
  const { status, text, headers } = await visit(world, href!.replaceAll('&amp;', '&'))
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  const [names, row, end] = text.split('\r\n').map((line) => line.split(','))
  expect([row![names!.indexOf('provider_id')], end]).toEqual(['retail-a', ['']])
  expect(row![names!.indexOf('cost_total_pct')]).toBe('2.956743')
  const pair = '/board/costs.csv?source_country=US&target_country=KE'
  for (const amount of ['0.15k', '1.000,50', '1,000.50', '%C2%A0150 ']) {
    const { status, text } = await visit(world, `${pair}&amount=${amount}`)
    const [, row = ''] = text.split('\r\n')
    if (amount === '0.15k') {
      expect([status, JSON.parse(text).parameter]).toEqual([400, 'amount'])
      expect(JSON.parse(text).error).not.toContain('is required')
    } else expect([amount, status, row.split(',').length]).toEqual([amount, 200, names!.length])
  }
  for (const query of ['', '?source_country=US&target_country=KE&amount=-1', '?source_country=XX'])
    expect([query, (await visit(world, `/board/costs.csv${query}`)).status]).toEqual([query, 400])
})
