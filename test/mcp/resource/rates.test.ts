import { afterAll, describe, expect, test } from 'bun:test'
import { corridorOf, ratesTemplate } from '~/mcp/resource/rates.ts'
import { ToolWorld } from '../tool-world.ts'

const worlds: ToolWorld[] = []
afterAll(() => Promise.all(worlds.map((world) => world.stop())))

function toolWorld(): ToolWorld {
  const world = new ToolWorld()
  worlds.push(world)
  return world
}

describe('corridorOf', () => {
  test.each([
    ['corridor://rates/GBP/KES', 'GBP', 'KES'],
    ['corridor://rates/usd/usdt', 'USD', 'USDT'],
  ])('reads the corridor of %s', (uri, from, to) => {
    expect(corridorOf(uri)).toEqual({ from, to })
  })

  test.each([
    'corridor://catalogue',
    'corridor://rates',
    'corridor://rates/GBP',
    'corridor://rates/GBP/KES/',
    'corridor://rates/GBP/KES?max_age=1d',
    'corridor://rates/GB/KES',
    'https://rates/GBP/KES',
    ' corridor://rates/GBP/KES',
  ])('finds no corridor in %p', (uri) => {
    expect(corridorOf(uri)).toBeNull()
  })
})

describe('the rates of a corridor as a resource', () => {
  test.each(['first', 'auto'] as const)(
    'equal the response of get_rates, to client %p',
    async (kind) => {
      const tools = toolWorld()
      const key = tools.world.key()
      const session = await tools.connect(key, kind)
      const { client } = session
      const [template] = (await client.listResourceTemplates()).resourceTemplates
      expect(template).toMatchObject({ uriTemplate: 'corridor://rates/{from}/{to}', name: 'rates' })
      const uri = 'corridor://rates/usd/KES'
      const { contents } = await client.readResource({ uri })
      const { body } = await session.call('get_rates', { from: 'USD', to: 'KES' })
      expect(contents).toEqual([{ uri, mimeType: 'application/json', text: JSON.stringify(body) }])
      expect(body.providers).toHaveLength(1)
      expect(await tools.used(key)).toBe(2)
    },
  )

  test('are those of the hour for an hourly key', async () => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key('free'))
    const { contents } = await client.readResource({ uri: 'corridor://rates/USD/KES' })
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      ...{ data_freshness: 'hourly', as_of: expect.any(String) },
    })
  })

  test('fail as a call does, and then cost nothing', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const { client } = await tools.connect(key)
    const read = (uri: string) => client.readResource({ uri }).catch((error) => error)
    expect(await read('corridor://rates/USD/XXX')).toMatchObject({
      ...{ code: -32600, message: expect.stringContaining('XXX') },
      data: { code: 'unsupported_currency', supported_currencies: expect.any(Array) },
    })
    expect(await read('corridor://rates/USD')).toMatchObject({
      message: expect.stringContaining(ratesTemplate.uriTemplate),
    })
    expect(await tools.used(key)).toBe(0)
    for (let i = 0; i < 50; i++) await client.readResource({ uri: 'corridor://rates/USD/KES' })
    expect(await read('corridor://rates/USD/KES')).toMatchObject({
      data: { code: 'quota_exceeded' },
    })
  })

  test('have their codes completed', async () => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key())
    const completed = async (uri: string) => {
      const ref = { type: 'ref/resource', uri } as const
      const argument = { name: 'from', value: 'us' }
      return (await client.complete({ ref, argument })).completion.values
    }
    expect(await completed(ratesTemplate.uriTemplate)).toEqual(['USD'])
    expect(await completed('corridor://catalogue')).toEqual([])
  })
})
