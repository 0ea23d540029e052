import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { currency, PROVIDERS } from '../support/catalogue.ts'
import { emptyPast } from '../support/past.ts'
import { ToolWorld } from './tool-world.ts'

const COUNT = 500
const letters = (i: number): string => String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26))
const SOURCES = Array.from({ length: 25 }, (_, i) => `X${letters(i)}`)
const TARGETS = Array.from({ length: 20 }, (_, i) => `Y${letters(i)}`)
const PAIRS = SOURCES.flatMap((from) => TARGETS.map((to) => ({ from, to })))
const MANY = PAIRS.map(({ from, to }) => `${from}/${to}`)

let tools: ToolWorld
let key: string
let session: Awaited<ReturnType<ToolWorld['connect']>>

beforeAll(async () => {
  tools = new ToolWorld({ past: emptyPast() })
  const { world } = tools
  const currencies = [...SOURCES, ...TARGETS].map((code) => currency(code))
  world.memory.publish({ catalogue: { currencies, providers: PROVIDERS } }, world.clock.now())
  world.quote(...PAIRS.map((pair) => ({ ...pair, providerId: 'retail-a', rate: 2 })))
  key = world.key()
  session = await tools.connect(key)
})

afterAll(() => tools.stop())

const codes = Array.from({ length: COUNT }, (_, i) => [...SOURCES, ...TARGETS][i % 45]!)

describe(`${COUNT} corridors`, () => {
  test('are listed by list_corridors page by page, and by REST at once', async () => {
    const first = await session.call('list_corridors', {})
    expect([first.body.corridors.length, first.body.next_offset]).toEqual([50, 50])
    const all = await session.call('list_corridors', { limit: COUNT })
    expect([all.body.corridors.length, all.body.next_offset]).toEqual([COUNT, undefined])
    const over = await session.call('list_corridors', { limit: COUNT + 1 })
    expect([over.isError, over.body.parameter]).toEqual([true, 'limit'])
    const { status, body } = await tools.world.get('/corridors', key)
    expect([status, body.corridors.length]).toEqual([200, COUNT])
  })

  test.each([
    ['fetch_rates', { from: codes, to: ['YAA'] }, 'from', /\b20\b/],
    ['fetch_rates', { from: ['XAA'], to: codes }, 'to', /\b20\b/],
    ['fetch_rates', { from: SOURCES.slice(0, 11), to: TARGETS.slice(0, 10) }, 'from', /\b10\b/],
    [
      'get_rates',
      { from: 'XAA', to: 'YAA', providers: codes },
      'providers',
      /no provider is called "XAA"/,
    ],
    ['rank_costs', { source_country: [...COUNTRIES.keys()] }, 'source_country', /\b60\b/],
    ['get_rates', { from: MANY.join(','), to: 'YAA' }, 'from', /it must be source currency/],
  ])('are refused by %s in one list, with its bound', async (name, args, parameter, words) => {
    const { isError, body } = await session.call(name, args)
    expect([isError, body.parameter, body.code === 'internal_error']).toEqual([
      true,
      parameter,
      false,
    ])
    expect(body.error).toMatch(words)
    expect(body.error.length).toBeLessThan(300)
  })

  test.each([
    [`/fetch-matrix?from=${codes}&to=YAA`, 'from', /\b10\b/],
    [`/fetch-multi?from=XAA&to=${codes}`, 'to', /\b20\b/],
    [`/fetch-many-to-one?from=${codes}&to=YAA`, 'from', /\b20\b/],
    [`/stream?corridors=${MANY}`, 'corridors', /\b50\b/],
  ])('are refused by REST in one list, with its bound: %j', async (path, parameter, words) => {
    const { status, body } = await tools.world.get(path, key)
    expect([status, body.parameter]).toEqual([400, parameter])
    expect(body.error).toMatch(words)
  })
})
