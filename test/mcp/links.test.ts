import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld
let key: string
let session: Awaited<ReturnType<ToolWorld['connect']>>

beforeAll(async () => {
  tools = new ToolWorld()
  key = tools.world.key()
  session = await tools.connect(key)
})
afterAll(() => tools.stop())

const USD_KES = { from: 'US dollar', to: 'KES' }

describe('the links of a response', () => {
  test.each([
    ['get_rates', { ...USD_KES, pay_in: ['cash', 'debit_card'] }],
    ['convert', { source_country: 'US', target_country: 'Kenya', amount: 200 }],
    ['convert', { ...USD_KES, recipient_gets: 20_000 }],
    ['get_costs', { source_country: 'US', target_country: 'KE', amount: 200 }],
    ['rank_costs', {}],
    ['get_history', USD_KES],
    ['get_history', { ...USD_KES, interval: 'P1D', until: '2026-03-04' }],
    ['get_official', { currency: 'KES', date: '2026-03-04' }],
    ['get_provider_rates', { provider: 'retail-a' }],
    ['list_corridors', { country: 'KE' }],
    ['list_providers', {}],
    ['list_currencies', {}],
  ])('of %s, %j, lead to a page and to its CSV', async (name, args) => {
    const { isError, body } = await session.call(name, args)
    expect(isError).toBe(false)
    const { page, csv } = body.links
    expect(page).toStartWith(new URL(tools.url).origin)
    const opened = await fetch(page)
    expect([page, opened.status]).toEqual([page, 200])
    if (name.startsWith('list_') && name !== 'list_corridors') return expect(csv).toBeUndefined()
    const file = await fetch(csv, { headers: { 'x-api-key': key } })
    expect([csv, file.status]).toEqual([csv, 200])
    expect(file.headers.get('content-type')).toStartWith('text/csv')
  })

  test('of prices between countries lead to a page with the same currencies and conditions', async () => {
    const { body } = await session.call('convert', {
      ...{ source_country: 'GB', target_country: 'KE', from: 'USD', amount: 200 },
      ...{ pay_in: ['cash', 'debit_card'], pay_out: ['mobile_money'], delivery_max: '2h' },
    })
    const asked = '?from=USD&to=KES&amount=200&pay_in=cash%2Cdebit_card&pay_out=mobile_money'
    expect(body.links.page).toEndWith(`/send/gb-to-ke${asked}&delivery_max=2h`)
    const page = await (await fetch(body.links.page)).text()
    for (const value of ['cash', 'debit_card', 'mobile_money', 'PT2H'])
      expect(page).toMatch(new RegExp(`value="${value}" checked|checked[^>]* value="${value}"`))
  })

  test.each([{ period: '1d', until: '2026-03-04' }, { period: '7d', until: '2026-03-05' }, {}])(
    'of buckets, %j, lead to a CSV with the same buckets',
    async (window) => {
      const { body } = await session.call('get_history', {
        ...{ ...USD_KES, interval: 'P1D', limit: 500 },
        ...window,
      })
      const file = await fetch(body.links.csv, { headers: { 'x-api-key': key } })
      const days = (await file.text()).split('\r\n').slice(1, -1)
      expect(days.map((line) => line.slice(0, '2026-03-04'.length))).toEqual(
        body.data.map(({ t }: { t: string }) => t),
      )
    },
  )
})
