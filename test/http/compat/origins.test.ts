import { describe, expect, test } from 'bun:test'
import { answerable } from '../questions.ts'

const SHOP = 'https://shop.example'
const ADVICE = 'this read-only key is for pages of certain web origins'

function holder(origins: readonly string[] | null) {
  const world = answerable()
  const { id, key: full } = world.account('enterprise')
  const { key } = world.addKey(id, 'page', 100, origins)
  const ask = (path: string, headers: Record<string, string> = {}) =>
    Promise.resolve(world.app.handle(new Request(`http://localhost${path}`, { headers })))
  return { full, key, ask }
}

describe('a read-only key of a web page', () => {
  test('with origins, is accepted from these and no others', async () => {
    const { key, ask } = holder([SHOP])
    const path = `/compat/${key}/frankfurter/v1/latest?base=USD&symbols=KES`
    const own = await ask(path, { origin: SHOP })
    expect(own.status).toBe(200)
    expect(own.headers.get('access-control-allow-origin')).toBe('*')
    expect(own.headers.get('access-control-expose-headers')).toContain('x-ratelimit-remaining')
    for (const headers of [{}, { origin: 'https://shop.example.evil' }, { origin: 'null' }]) {
      const { status, body } = await ask(path, headers).then(async (reply) => ({
        status: reply.status,
        body: await reply.json(),
      }))
      expect([status, body.message]).toEqual([401, expect.stringContaining(ADVICE)])
    }
  })

  test('with origins, is limited to them in a header and in the fetch family too', async () => {
    const { key, ask } = holder([SHOP])
    for (const path of ['/compat/fixer/latest', '/api/v1/fetch-one?from=USD&to=KES']) {
      expect((await ask(path, { 'x-api-key': key, origin: SHOP })).status).toBe(200)
      const elsewhere = await ask(path, { 'x-api-key': key })
      expect([elsewhere.status, await elsewhere.text()]).toEqual([
        401,
        expect.stringContaining(ADVICE),
      ])
    }
  })

  test('without origins, is accepted from any page, and a key in a header from none more', async () => {
    const { full, key, ask } = holder(null)
    const page = { origin: SHOP }
    const read = await ask(`/compat/${key}/plain/rate/USD/KES.txt`, page)
    expect(read.headers.get('access-control-allow-origin')).toBe('*')
    const refused = await ask(`/compat/${key}/plain/rate/USD/XXX.txt`, page)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    const header = await ask('/compat/plain/rate/USD/KES.txt', { ...page, 'x-api-key': full })
    expect([header.status, header.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  test('is never sent to another site as a referrer', async () => {
    const { key, ask } = holder(null)
    for (const path of ['fixer/latest', 'fixer/nope', 'nope/latest'])
      expect((await ask(`/compat/${key}/${path}`)).headers.get('referrer-policy')).toBe(
        'no-referrer',
      )
  })
})
