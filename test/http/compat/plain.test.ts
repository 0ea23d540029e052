import { expect, test } from 'bun:test'
import type { World } from '../../support/world.ts'
import { answerable } from '../questions.ts'

const ask = async (world: World, key: string, pair = 'USD/KES.txt') => {
  const url = `http://localhost/compat/${key}/plain/rate/${pair}`
  const reply = await world.app.handle(new Request(url))
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

function holder(budget = 100) {
  const world = answerable()
  const account = world.account('free')
  return { world, full: account.key, readOnly: world.addKey(account.id, 'sheet', budget).key }
}

test('a read-only key in the path returns the mid of /fetch-one, as a number alone', async () => {
  const { world, full, readOnly } = holder()
  const { body } = await world.get('/fetch-one?from=USD&to=KES', full)
  const { status, headers, text } = await ask(world, readOnly)
  expect(readOnly).toStartWith('crr_')
  expect([status, text]).toEqual([200, String(body.mid)])
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect((await ask(world, readOnly, 'usd/usd.txt')).text).toBe('1')
})

test('a full key in a path is refused with advice, valid or not, and costs nothing', async () => {
  const { world, full } = holder()
  for (const key of [full, 'crd_made-up']) {
    const { status, text } = await ask(world, key)
    expect(status).toBe(401)
    expect(text).toContain('create a read-only key for this, and revoke the key that you sent')
  }
  expect((await world.get('/admin/usage', full)).body.used).toBe(0)
})

test('a read-only key opens nothing else', async () => {
  const { world, readOnly } = holder()
  for (const path of [
    '/rates?from=USD&to=KES',
    '/convert?from=USD&to=KES&amount=1',
    '/admin/usage',
  ]) {
    const { status, body } = await world.get(path, readOnly)
    expect([path, status, body.code]).toEqual([path, 401, 'invalid_key'])
  }
  expect((await world.post([], readOnly)).status).toBe(401)
  expect((await world.send('POST', '/stream/token', { key: readOnly })).status).toBe(401)
  const headers = { 'x-api-key': readOnly, 'content-type': 'application/json' }
  const mcp = new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' })
  expect((await world.app.handle(mcp)).status).toBe(401)
})

test('a read-only key reads the mids of the fetch family, and no price of a provider', async () => {
  const { world, full, readOnly } = holder()
  for (const path of [
    '/fetch-one?from=USD&to=KES',
    '/fetch-multi?from=USD&to=KES,NGN',
    '/fetch-matrix?from=USD&to=KES,NGN',
    '/fetch-many-to-one?from=USD,EUR&to=KES',
  ]) {
    const text = JSON.stringify((await world.get(path, full)).body)
    for (let i = 0; i < 3; i++) {
      const { status, body } = await world.get(path, readOnly)
      expect(status).toBe(200)
      const bare = text.replace(/"provider_best":\{[^}]*\}/g, '"provider_best":null')
      expect(JSON.stringify(body)).toBe(bare)
    }
    expect(text).toContain('"provider_id"')
    expect(JSON.stringify((await world.get(path, full)).body)).toBe(text)
  }
})

test('a read-only key spends its own budget within that of the account', async () => {
  const { world, full, readOnly } = holder(2)
  expect((await ask(world, readOnly)).headers.get('x-ratelimit-remaining')).toBe('1')
  expect((await ask(world, readOnly, 'USD/XXX.txt')).status).toBe(400)
  expect((await ask(world, readOnly)).headers.get('x-ratelimit-remaining')).toBe('0')
  const { status, headers, text } = await ask(world, readOnly)
  expect([status, headers.get('x-ratelimit-limit')]).toEqual([429, '2'])
  expect(text).toStartWith('all 2 requests a day of this read-only key are used')
  expect((await world.get('/providers', full)).headers.get('x-ratelimit-remaining')).toBe('47')
})

test('each key of a plan gets its own limit', async () => {
  const { world, full, readOnly } = holder(20)
  const stated = async (key: string) => {
    const { headers } = await world.get('/fetch-one?from=USD&to=KES', key)
    return [headers.get('x-ratelimit-limit'), headers.get('ratelimit-policy')]
  }
  const [ofFull, ofReadOnly] = [await stated(full), await stated(readOnly)]
  expect([ofFull[0], ofReadOnly[0]]).toEqual(['50', '20'])
  expect([await stated(full), await stated(readOnly)]).toEqual([ofFull, ofReadOnly])
})

test('each key of a plan gets its own limit when all is used', async () => {
  const { world, full, readOnly } = holder(80)
  for (let i = 0; i < 50; i++) await world.get('/providers', full)
  const stated = async (key: string) => {
    const { status, headers } = await world.get('/fetch-one?from=USD&to=KES', key)
    return [status, headers.get('x-ratelimit-limit')]
  }
  expect([await stated(readOnly), await stated(full)]).toEqual([
    [429, '80'],
    [429, '50'],
  ])
})

test('an account without units left refuses its read-only key too', async () => {
  const { world, full, readOnly } = holder()
  for (let i = 0; i < 50; i++) await world.get('/providers', full)
  const { status, text } = await ask(world, readOnly)
  expect(status).toBe(429)
  expect(text).toContain("all 50 requests of today's free plan are used")
})

test('an unknown ending, a wrong key and a currency without a mid get an error sentence', async () => {
  const { world, readOnly } = holder()
  expect((await ask(world, readOnly, 'USD/KES.xml')).status).toBe(404)
  expect((await ask(world, `${readOnly.slice(0, -1)}!`)).status).toBe(401)
  expect((await ask(world, readOnly, 'USD/USDT.txt')).status).toBe(400)
})

test('no line of the log has the key of a URL', async () => {
  const { world, full, readOnly } = holder()
  for (const key of [full, readOnly]) await ask(world, key)
  await ask(world, readOnly, 'USD/XXX.txt')
  const lines = JSON.stringify(world.logged)
  for (const key of [full, readOnly]) expect(lines).not.toContain(key.slice(4))
})
