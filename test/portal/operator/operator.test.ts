import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { observation, otherHandle } from '../../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { until } from '../../support/until.ts'
import { type Member, newEmail, PeopleWorld } from '../people-world.ts'
import { rowsOf, textOf } from '../portal-world.ts'
import { formsIn } from '../visitor.ts'

const HOUR_MS = 3_600_000

let world: PeopleWorld
let operator: Member
let ada: Member

beforeAll(async () => {
  world = await PeopleWorld.start()
  operator = await world.admin()
  ada = await world.member()
})
afterAll(() => world.stop())

/** Section below the heading of that id. */
const sectionOf = (html: string, id: string): string =>
  html.split(`id="${id}"`)[1]!.split('<h2')[0]!

const daysAgo = (days: number) => world.clock.now() - days * 24 * HOUR_MS

const see = async (path: string) => (await operator.visitor.get(path)).html

describe("the operator's pages for anyone but an admin", () => {
  test('return 404 as for a path that does not exist, to members and anonymous callers', async () => {
    const unknown = await world.visitor().get('/nowhere')
    for (const path of [
      ...['/operator', '/operator/accounts', '/operator/account?id=x'],
      ...['/operator/key', '/operator/log', '/operator/log.csv'],
    ])
      for (const visitor of [ada.visitor, world.visitor()]) {
        const { status, html } = await visitor.get(path)
        expect([status, html]).toEqual([404, unknown.html])
      }
  })

  test('return 404 to a change that a member sends with a valid token', async () => {
    const { id } = await world.accountOf(ada)
    const form_token = await ada.visitor.token('/developer')
    const fields = { form_token, id, plan: 'enterprise', role: 'admin' }
    expect((await ada.visitor.post('/operator/account', fields)).status).toBe(404)
    expect(await world.accountOf(ada)).toMatchObject({ plan: 'free', role: 'member' })
  })

  test('return 404 as soon as the role is removed', async () => {
    const second = await world.admin()
    expect((await second.visitor.get('/operator')).status).toBe(200)
    const { id } = await world.accountOf(second)
    await operator.visitor.submit(`/operator/account?id=${id}`, { plan: 'free', role: 'member' })
    expect((await second.visitor.get('/operator')).status).toBe(404)
  })
})

describe('accounts', () => {
  test('are found by a part of their email, in which a percent sign is not a wildcard', async () => {
    const name = ada.email.split('@')[0]!
    expect(await see(`/operator/accounts?search=${name.slice(3, 20).toUpperCase()}`)).toContain(
      name,
    )
    expect(await see('/operator/accounts?search=%25')).toContain('No account matches')
    expect(await see('/operator/accounts?search=_')).toContain('No account matches')
  })

  test('come in pages of fifty', async () => {
    const store = createAccountStore(world.database)
    const tag = crypto.randomUUID().slice(0, 8)
    for (let i = 0; i < 51; i++)
      await store.create({
        ...{ email: `${tag}-${i}@example.com`, plan: 'pro', role: 'member', keyName: 'k' },
        keyHash: crypto.randomUUID().replaceAll('-', '').padEnd(64, '0'),
      })
    const first = await see(`/operator/accounts?search=${tag}`)
    expect(first).toContain('1 to 50 of 51 accounts')
    expect(first).toContain('Next')
    const second = await see(`/operator/accounts?search=${tag}&offset=50`)
    expect(second).toContain('51 to 51 of 51 accounts')
    expect(second).toContain(`${tag}-50@example.com`)
  })

  test('get another plan and role, which take effect at the next request', async () => {
    const { id } = await world.accountOf(ada)
    const page = `/operator/account?id=${id}`
    const { status } = await operator.visitor.submit(page, { plan: 'pro', role: 'treasury' })
    expect(status).toBe(303)
    const reply = await fetch(`${world.origin}/api/v1/currencies`, {
      headers: { 'x-api-key': ada.key! },
    })
    expect(reply.headers.get('x-ratelimit-limit')).toBe('250')
    expect((await ada.visitor.get('/developer')).html).toContain('role treasury')
  })

  test("return 400 to an unknown plan or role, and to the loss of one's own admin role", async () => {
    const { id } = await world.accountOf(operator)
    const page = `/operator/account?id=${id}`
    for (const fields of [
      { plan: 'gold', role: 'admin' },
      { plan: 'pro', role: '' },
      { plan: 'pro', role: 'member' },
    ])
      expect((await operator.visitor.submit(page, fields)).status).toBe(400)
    expect(await world.accountOf(operator)).toMatchObject({ plan: 'free', role: 'admin' })
  })

  test('become admins only after confirmation, by name and in a form of ours', async () => {
    const eve = await world.member()
    const { id } = await world.accountOf(eve)
    const page = `/operator/account?id=${id}`
    const role = async () => (await world.accountOf(eve)).role
    const asked = await operator.visitor.submit(page, { plan: 'pro', role: 'admin' })
    expect(asked.status).toBe(200)
    expect(asked.html).toContain(`Make ${eve.email} an admin?`)
    expect(asked.html).toContain('from free to pro')
    expect(await world.accountOf(eve)).toMatchObject({ plan: 'free', role: 'member' })

    const [form] = formsIn(asked.html)
    expect(form!.hidden).toMatchObject({ id, plan: 'pro', role: 'admin' })
    const { form_token: _, ...tokenless } = form!.hidden
    expect((await operator.visitor.post(form!.action, tokenless)).status).toBe(403)
    const another = { ...form!.hidden, confirmed: ada.email }
    expect((await operator.visitor.post(form!.action, another)).status).toBe(200)
    expect(await role()).toBe('member')

    const sure = await operator.visitor.post(form!.action, form!.hidden)
    expect([sure.status, sure.location]).toEqual([303, `${page}&said=changed`])
    expect(await world.accountOf(eve)).toMatchObject({ plan: 'pro', role: 'admin' })
  })

  test('that are admins already get another plan without confirmation', async () => {
    const second = await world.admin()
    const { id } = await world.accountOf(second)
    const fields = { plan: 'enterprise', role: 'admin' }
    const { status } = await operator.visitor.submit(`/operator/account?id=${id}`, fields)
    expect(status).toBe(303)
    expect(await world.accountOf(second)).toMatchObject(fields)
  })

  test('that are not treasury accounts cannot be limited to providers, but lose a limit', async () => {
    const eve = await world.member()
    const { id } = await world.accountOf(eve)
    const form_token = await operator.visitor.token(`/operator/account?id=${id}`)
    const save = (fields: Record<string, string>) =>
      operator.visitor.post('/operator/providers', { form_token, id, ...fields })
    const refused = await save({ providers: 'p2p-a' })
    expect(refused.status).toBe(400)
    expect(textOf(refused.html)).toContain('only treasury accounts can be limited to providers')
    const store = createAccountStore(world.database)
    await store.update(id, { providers: ['p2p-a'] })
    await save({ providers: '' })
    expect((await store.loadAccount(id)).accounts[0]!.providers).toBeUndefined()
    expect((await save({ id: 'x', providers: 'p2p-a' })).location).toBe('/operator/accounts')
  })

  test('lose a key, which is refused at its next request', async () => {
    const bob = await world.member()
    const { id } = await world.accountOf(bob)
    const page = await see(`/operator/account?id=${id}`)
    const path = /\/operator\/key\?[^"]+/.exec(page)![0].replaceAll('&amp;', '&')
    expect((await operator.visitor.submit(path, {})).status).toBe(303)
    expect(await world.asked(bob.key!)).toBe(401)
  })

  test('lead back to the list if they are unknown', async () => {
    for (const path of ['/operator/account?id=x', '/operator/key?account=x&key=y'])
      expect((await operator.visitor.get(path)).location).toBe('/operator/accounts')
  })
})

describe('data', () => {
  test('names a provider that has been silent for longer than usual, and escapes its name', async () => {
    const { clock } = world
    const database = otherHandle(world.database)
    const name = '<script>alert(1)</script>'
    const [first, ...others] = PROVIDERS
    const providers = [{ ...first!, name }, ...others]
    await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
    const store = createObservationStore(database)
    const send = (providerId: string, hoursAgo: number, to = 'KES') => {
      const effectiveMs = clock.now() - hoursAgo * HOUR_MS
      const observations = [observation({ providerId, to, effectiveMs })]
      return store.record({ observations, idempotency: null })
    }
    for (const hours of [60, 50, 40, 31]) await send(first!.id, hours)
    for (const hours of [90, 60, 30, 1]) await send(others[0]!.id, hours)
    for (const hours of [9, 8, 7, 6]) await send(others[0]!.id, hours, 'NGN')
    await until('the catalogue is served', async () => (await see('/operator')).includes('&lt;'))
    const html = await see('/operator')
    expect(html).toContain('1 provider fell silent')
    expect(html).toContain('&lt;script>alert(1)')
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('10 hours')
    expect(html).toContain('1 corridor fell silent')
    expect(rowsOf(sectionOf(html, 'silent')).slice(1)).toEqual([
      [
        others[0]!.name,
        'USD → NGN',
        expect.stringMatching(/^6 hours ago .* UTC$/),
        '60 minutes',
        expect.stringContaining('UTC'),
      ],
    ])
    expect(textOf(html)).toContain(`for others: ${others[0]!.name}.`)
    expect(html).toContain('There is no mid yet')
    const mute = PROVIDERS.slice(2)
      .map((provider) => provider.name)
      .sort()
    expect(textOf(html)).toContain(`${mute.length} providers never sent anything`)
    expect(textOf(html)).toContain(mute.join(', '))
    expect(html).toMatch(/Mids of 0 of \d+ currencies/)
    expect(html).toMatch(/None for [A-Z, ]*KES/)
    await database.close()
  })
})

test('the page lists the corridors led by an old price, with the mid of its day', async () => {
  const database = otherHandle(world.database)
  const rates = [{ currency: 'ZAR', perUsd: '18' }]
  await createReferenceStore(database).append({ source: 'f', fetchedMs: daysAgo(12), rates })
  const old = [
    observation({ providerId: 'p2p-a', to: 'ZAR', rate: '18.36', effectiveMs: daysAgo(11) }),
    observation({ providerId: 'p2p-a', from: 'GBP', to: 'ZAR', effectiveMs: daysAgo(30) }),
    observation({ providerId: 'p2p-b', from: 'GBP', to: 'UGX', effectiveMs: daysAgo(1) }),
  ]
  await createObservationStore(database).record({ observations: old, idempotency: null })
  const section = async () => sectionOf(await see('/operator'), 'stale')
  await until('the prices', async () => (await section()).includes('GBP → ZAR'))
  const name = PROVIDERS.find(({ id }) => id === 'p2p-a')!.name
  expect(rowsOf(await section()).slice(1)).toEqual([
    ['GBP → ZAR', name, expect.stringMatching(/^30 days ago .* UTC$/), 'no mid that day'],
    ['USD → ZAR', name, expect.stringMatching(/^11 days ago .* UTC$/), '2.00% above'],
  ])
  expect(await section()).toContain('href="/?from=GBP&amp;to=ZAR"')
  expect(textOf(await section())).toContain('counts as old after 7 days (QUOTE_STALE_AFTER)')
  await database.close()
})

test('the page shows what the process has done, and the suspect prices', async () => {
  const before = sectionOf(await see('/operator'), 'work')
  expect(before).toContain('No price is suspect')
  const rowsRecorded = (html: string) => Number(/Rows recorded<\/dt><dd>(\d+)/.exec(html)![1])
  expect(rowsRecorded(before)).toBe(0)
  for (const name of ['Failed deliveries of alerts', 'Rows refused', 'Database queries waiting'])
    expect(before).toContain(`<dt>${name}</dt><dd>0</dd>`)
  expect(before).toMatch(/Requests slower than a second<\/dt><dd>\d+ of [1-9]\d*</)
  const database = otherHandle(world.database)
  const rates = [{ currency: 'NGN', perUsd: '1500' }]
  await createReferenceStore(database).append({ source: 'f', fetchedMs: daysAgo(0.5), rates })
  const rows = [
    observation({ providerId: 'p2p-a', to: 'NGN', rate: '2000', effectiveMs: daysAgo(0.1) }),
    observation({ providerId: 'p2p-b', to: 'NGN', rate: '1490', effectiveMs: daysAgo(0.1) }),
  ]
  await createObservationStore(database).record({ observations: rows, idempotency: null })
  const section = async () => sectionOf(await see('/operator'), 'work')
  const name = PROVIDERS.find(({ id }) => id === 'p2p-a')!.name
  await until('the suspect price', async () => (await section()).includes(name))
  expect(rowsOf(await section()).slice(1)).toContainEqual([
    ...['USD → NGN', name],
    expect.stringContaining('ago'),
    '33.3 % above the mid of its day',
  ])
  await database.close()
})

test('the page lists ten entries at a time, and the last ten if the query asks for more', async () => {
  const database = otherHandle(world.database)
  const codes = ['EUR', 'XOF', 'NGN', 'UGX']
  const pairs = codes
    .flatMap((from) => codes.filter((to) => to !== from).map((to) => ({ from, to })))
    .slice(0, 11)
  const old = pairs.map((pair, i) =>
    observation({ ...pair, providerId: 'p2p-b', effectiveMs: daysAgo(40 + i) }),
  )
  await createObservationStore(database).record({ observations: old, idempotency: null })
  const section = async (query = '') => sectionOf(await see(`/operator${query}`), 'stale')
  await until('the prices', async () => textOf(await section()).includes('1 to 10 of'))
  const corridors = async (query?: string) =>
    rowsOf(await section(query))
      .slice(1)
      .map(([corridor]) => corridor)
  const first = await corridors()
  const names = pairs.map(({ from, to }) => `${from} → ${to}`)
  expect(first).toEqual(names.slice(1).reverse())
  expect(await section()).toContain('href="/operator?stale=10#stale"')
  const rest = await corridors('?stale=10')
  expect(rest[0]).toBe(names[0])
  expect(await section('?stale=10')).not.toContain('Next')
  expect(await section('?senders=10&stale=0')).toContain(
    'href="/operator?senders=10&amp;stale=10#stale"',
  )
  expect(await corridors('?stale=900')).toEqual(rest)
  expect(await corridors('?stale=-1')).toEqual(first)
  const whole = await see('/operator')
  for (const id of ['stale', 'senders', 'suspects'])
    expect([id, whole.includes(`id="${id}"`)]).toEqual([id, true])
  await database.close()
})

test('the page names a peg that feeds contradict, with their rate and how far off it is', async () => {
  const database = otherHandle(world.database)
  const currencies = CURRENCIES.map((one) =>
    one.code === 'XOF' ? { ...one, peg: { to: 'EUR', rate: 655.957 } } : one,
  )
  await createCatalogueStore(database).apply({ currencies, providers: [] })
  const atMs = world.clock.now()
  const rates = Object.entries({ EUR: 0.9, XOF: 578.554074 })
  await createReferenceStore(database).append({
    ...{ source: 'a feed', fetchedMs: atMs },
    rates: rates.map(([currency, perUsd]) => ({ currency, perUsd: String(perUsd) })),
  })
  const text = async () => textOf(await see('/operator'))
  await until('the doubt', async () => (await text()).includes('The peg of XOF is in doubt'))
  expect(await text()).toContain('pegged at 655.957 for 1 EUR, and a feed said 642.84 on ')
  expect(await text()).toContain(': −2.00% off.')
  expect(await text()).toContain('Feeds contradict the peg of XOF; see below.')
  const mid = rowsOf(await see('/operator')).find(([name]) => name === 'XOF')
  expect(mid?.slice(1, 4)).toEqual(['590.3613', 'peg:EUR+a feed', 'peg'])
  const metrics = await (await fetch(`${world.origin}/metrics`)).text()
  expect(metrics).toContain('\ncorridor_doubtful_peg_ratio{currency="XOF"} 0.02\n')
  await database.close()
})

test('the list of accounts leads a query beyond its end to its last page', async () => {
  const { location } = await operator.visitor.get('/operator/accounts?search=%40&offset=900000')
  expect(location).toMatch(/^\/operator\/accounts\?search=%40&offset=\d{1,3}$/)
  expect(textOf(await see(location!))).toMatch(/\d accounts?/)
  expect(await see('/operator/accounts?search=nobody&offset=50')).toContain('No account matches.')
})

test("knowing an operator's e-mail address gives no access", async () => {
  const email = newEmail()
  const { visitor } = await world.member(email)
  expect((await visitor.get('/operator')).status).toBe(404)
})

test('an account records for the providers that its page names, at once and until it names none', async () => {
  const eve = await world.member()
  const { id } = await world.accountOf(eve)
  const page = `/operator/account?id=${id}`
  expect(await see(page)).not.toContain('Ids of providers')
  await operator.visitor.submit(page, { plan: 'pro', role: 'treasury' })
  const database = otherHandle(world.database)
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS })
  await until('the catalogue', async () => (await see('/operator')).includes('KES'))
  const save = (providers: string) =>
    operator.visitor.submit(page, { providers }, '/operator/providers')
  const saved = await save(' retail-a, p2p-a,,retail-a')
  expect([saved.status, saved.location]).toEqual([303, `${page}&said=changed`])
  expect(await see(page)).toContain('value="p2p-a, retail-a"')
  const recorded = async (provider_id: string) => {
    const { status } = await fetch(`${world.origin}/api/v1/rates`, {
      method: 'POST',
      headers: { 'x-api-key': eve.key!, 'content-type': 'application/json' },
      body: JSON.stringify({ provider_id, from: 'USD', to: 'KES', rate: 0 }),
    })
    return status
  }
  expect([await recorded('p2p-a'), await recorded('p2p-b')]).toEqual([422, 403])
  expect(textOf(await see('/operator/log'))).toContain('p2p-a, retail-a')

  const wrong = await save('p2p-a, nosuch')
  expect(wrong.status).toBe(400)
  expect(textOf(wrong.html)).toContain('Nothing was changed: no provider has the id nosuch;')
  expect(wrong.html).toContain('value="p2p-a, nosuch"')
  expect(await see(page)).toContain('value="p2p-a, retail-a"')

  expect((await save('')).status).toBe(303)
  expect(await see(page)).toContain('This account records prices of all providers')
  expect(await recorded('p2p-b')).toBe(422)
  await database.close()
})
