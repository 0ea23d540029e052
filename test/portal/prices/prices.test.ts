import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { gridOf } from '~/file/table/grid.ts'
import type { Member, PeopleWorld } from '../people-world.ts'
import { rowsOf, textOf } from '../portal-world.ts'
import {
  at,
  PRICES,
  pasted,
  pricesWorlds,
  record,
  recordAs,
  recordForm,
  send,
  settingsForm,
  treasurer,
  workbook,
} from './prices-world.ts'

const HOUR_MS = 3_600_000
const HEADER = 'provider\tfrom\tto\trate\tfee'

let world: PeopleWorld
let replica: PeopleWorld
let ada: Member

beforeAll(async () => {
  ;[world, replica] = await pricesWorlds()
  ada = await treasurer(world)
}, 120_000)
beforeEach(() => {
  world.clock.advance(60_000)
  replica.clock.advance(world.clock.now() - replica.clock.now())
})
afterAll(async () => {
  await replica.stop()
  await world.stop()
}, 120_000)

const table = (...rows: string[]) => [HEADER, ...rows].join('\n')

const seen = async (path: string, visitor = ada.visitor) => textOf((await visitor.get(path)).html)

/** The live price of a provider, as the database serves it after a start. */
async function storedRate(from: string, to: string, providerId: string) {
  const [row] = await world.database.sql<{ rate: string; recorded_via: string }[]>`
    select o.rate, o.recorded_via from observations o
    join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
    join corridors c on c.id = o.corridor_id
    where c.source = ${from} and c.target = ${to} and p.provider_id = ${providerId}
    order by o.effective_from desc, o.id desc limit 1`
  return row ?? null
}

const count = async () => {
  const [row] = await world.database.sql<{ n: number }[]>`select count(*)::int n from observations`
  return row!.n
}

describe('GET /developer/prices', () => {
  test('returns 404 to a member, as for a path that does not exist, and anonymous visitors sign in first', async () => {
    const member = await world.member()
    const anonymous = await world.visitor().get('/nowhere')
    for (const path of ['', '/preview', '/record', '/upload', '/withdraw', '/template.xlsx']) {
      const { status, html } = await member.visitor.get(PRICES + path)
      expect([path, status, textOf(html)]).toEqual([path, 404, textOf(anonymous.html)])
    }
    const { status, location } = await world.visitor().get(PRICES)
    expect([status, location]).toEqual([303, '/sign-in?next=%2Fdeveloper%2Fprices'])
    expect((await member.visitor.get('/developer')).html).not.toContain(PRICES)
    expect((await ada.visitor.get('/developer')).html).toContain(`href="${PRICES}"`)
  })

  test('says that nothing was recorded yet', async () => {
    for (const query of ['', '?before=x', '?before=-1', '?before=1e999'])
      expect(await seen(PRICES + query)).toContain('Nothing was recorded from a table yet.')
  })
})

describe('a table', () => {
  test('with decimal commas, as LibreOffice writes it, is recorded correctly', async () => {
    const bytes = await workbook('commas.xlsx')
    const sent = { bytes, name: 'commas.xlsx', timeZone: 'Africa/Lagos' }
    const preview = (await send(ada.visitor, sent)).location!
    const fields = await settingsForm(ada.visitor, preview)
    await ada.visitor.post(`${PRICES}/preview`, { ...fields, column_5: '' })
    const shown = await seen(preview)
    expect(shown).toContain('1.284,50= 1284.5')
    expect(shown).toContain('without “Datum”')
    expect(shown).toContain('decimal commas')
    expect(await count()).toBe(0)
    const { status, location } = await record(ada.visitor, preview)
    expect([status, location]).toEqual([303, expect.stringContaining('said=recorded')])
    const news = await seen(location!)
    expect(news).toContain('3 prices recorded.')
    expect(news).toMatch(/from \d\d:00 UTC on the market.*: USD to KES, GBP to KES, EUR to NGN\./)
    expect(await storedRate('GBP', 'KES', 'retail-a')).toEqual({
      rate: '1284.50',
      recorded_via: 'upload',
    })
    world.clock.advance(HOUR_MS)
    expect(await seen('/?from=GBP&to=KES')).toContain('1,284.50')
  })

  test('is shown with the live prices, what moved, and what was not read', async () => {
    await record(ada.visitor, await pasted(ada.visitor, table('retail-a\tUSD\tUGX\t3700\t')))
    const text = table('retail-a\tUSD\tUGX\t4000\t', 'retail-b\tUSD\tUGX\t3710\t')
    const preview = await pasted(ada.visitor, `${text}`.replaceAll('\tfee', '\tSpread'))
    const { html } = await ada.visitor.get(preview)
    expect(textOf(html)).toContain('without “Spread”')
    expect(textOf(html)).toContain('1 price moved more than 5% from the last price.')
    const rows = rowsOf(html)
    expect(rows[1]!.slice(0, 5)).toEqual(['Row 2', 'retail-a', 'USD', 'UGX', '4000'])
    expect(rows[1]!.join(' ')).toMatch(/3,700\.00.*\+8\.11%/)
    expect(rows[2]!.join(' ')).toContain('none of this offer')
    expect(html).toContain('class="moved"')
  })

  test('is marked in each cell that cannot be recorded, and is not recorded then', async () => {
    const before = await count()
    const rows = [
      'retail-x\tUSD\tKES\t129\t',
      'retail-a\tUSD\tXXX\t-1\t',
      'retail-a\tUSD\tKES\tn/a\t1',
    ]
    const preview = await pasted(ada.visitor, table(...rows, 'retail-b\tUSD\tKES\t130\t'))
    const { html } = await ada.visitor.get(preview)
    const shown = rowsOf(html).map((row) => row.join(' | '))
    expect(textOf(html)).toContain('3 rows cannot be recorded, so none is.')
    expect(shown[1]).toContain('“retail-x” is not a provider here; is it retail-a?')
    expect(shown[2]).toMatch(/XXX.*is not a supported currency code.*-1must be between/)
    expect(shown[3]).toContain('n/amust be a number')
    expect(shown).toHaveLength(4)
    expect(html).not.toContain(`action="${PRICES}/record"`)
    const { hidden } = { hidden: await settingsForm(ada.visitor, preview) }
    const { status } = await recordAs(ada.visitor, { ...hidden, digest: 'x', newest: '0' })
    expect([status, await count()]).toEqual([409, before])
  })

  test('needs a choice for what is ambiguous once, and the next similar table is read the same way', async () => {
    const text = (rate: string) =>
      `Wer\tVon\tNach\tAngebot\tDate\nretail-a\tUSD\tZAR\t${rate}\t03/04/2026\n`
    const preview = await pasted(ada.visitor, text('1,284'))
    const shown = await seen(preview)
    for (const question of [
      'Choose the column with the rate.',
      'Choose whose prices these are.',
      'could be two days',
    ])
      expect(shown).toContain(question)
    expect(await ada.visitor.get(preview)).toMatchObject({ status: 200 })
    const fields = await settingsForm(ada.visitor, preview)
    const chosen = { ...fields, column_0: 'provider_id', column_3: 'rate' }
    await ada.visitor.post(`${PRICES}/preview`, chosen)
    expect(await seen(preview)).toContain('1,284 could be 1284 or 1.284')
    expect(await seen(preview)).toContain('could be two numbers: choose the decimal sign above')
    const known = { ...chosen, decimal: ',', dates: 'dd/MM/yyyy', time_zone: 'Africa/Lagos' }
    await ada.visitor.post(`${PRICES}/preview`, known)
    expect(await seen(preview)).toContain('2 Apr 2026, 23:00 UTC')
    expect((await record(ada.visitor, preview)).status).toBe(303)
    expect(await storedRate('USD', 'ZAR', 'retail-a')).toMatchObject({ rate: '1.284' })
    const next = await pasted(ada.visitor, text('1,285'))
    expect(await seen(next)).toContain('Record 1 price')
    const other = await treasurer(world)
    expect(await seen(await pasted(other.visitor, text('1,285')), other.visitor)).toContain(
      'Choose the column with the rate.',
    )
  })

  test('with a column given twice needs a choice of one', async () => {
    const preview = await pasted(
      ada.visitor,
      'provider\tfrom\tto\tRate\trate\nretail-a\tUSD\tKES\t1\t2',
    )
    expect(await seen(preview)).toContain('Several columns are called rate: choose one.')
    const fields = await settingsForm(ada.visitor, preview)
    const both = { ...fields, column_3: 'rate', column_4: 'rate' }
    const refused = await ada.visitor.post(`${PRICES}/preview`, { ...both, column_1: '' })
    expect(refused.status).toBe(409)
    expect(refused.html).not.toContain(`action="${PRICES}/record"`)
    const chosen = (name: string) => {
      const options = refused.html.split(`<select id="${name}"`)[1]!.split('</select>')[0]!
      return /<option value(?:="(\w*)")? selected/.exec(options)?.[1] ?? ''
    }
    expect([0, 1, 2, 3, 4].map((at) => chosen(`column_${at}`))).toEqual([
      ...['provider_id', '', 'to', 'rate', ''],
    ])
    await ada.visitor.post(`${PRICES}/preview`, { ...fields, column_4: 'rate' })
    expect(await seen(preview)).toContain('Record 1 price')
  })

  test('of one provider, from one currency, may omit what holds for all rows', async () => {
    const preview = await pasted(ada.visitor, 'to\trate\nKES\t131\nUGX\t3701')
    const fields = await settingsForm(ada.visitor, preview)
    const fixed = { ...fields, provider_id: 'retail-b', from: 'USD' }
    await ada.visitor.post(`${PRICES}/preview`, fixed)
    expect((await record(ada.visitor, preview)).status).toBe(303)
    expect(await storedRate('USD', 'UGX', 'retail-b')).toMatchObject({ rate: '3701' })
  })

  test.each([
    ['a.pdf', 'partner.pdf', 'a.pdf: This is a PDF'],
    ['a.xls', 'partner.xls', 'before 2007'],
    ['a.ods', 'partner.ods', 'OpenDocument'],
  ])('returns 422 for %s, with what to do', async (name, file, fault) => {
    const { status, html } = await send(ada.visitor, { bytes: await workbook(file), name })
    expect([status, textOf(html)]).toEqual([422, expect.stringContaining(fault)])
  })

  test('returns 422 without a file, for an empty one, for 10,001 rows and for more than 8 MiB', async () => {
    const rows = `${HEADER}\n${'retail-a\tUSD\tKES\t1\t\n'.repeat(10_001)}`
    for (const [sent, fault] of [
      [{}, 'Choose a file, or paste a table.'],
      [{ name: 'empty.csv' }, 'empty.csv: There is nothing in it'],
      [{ pasted: rows }, '10,001 rows are too many'],
      [{ name: 'big.csv', bytes: new Uint8Array(8 * 1_048_576 + 1) }, 'larger than 8 MiB'],
      [{ name: 'huge.csv', bytes: new Uint8Array(9 * 1_048_576) }, 'larger than 8 MiB'],
    ] as const) {
      const { status, html } = await send(ada.visitor, sent)
      expect([status, textOf(html)]).toEqual([422, expect.stringContaining(fault)])
    }
  })

  test('returns 403 without the token of the form, and from another site', async () => {
    const form = new FormData()
    form.set('pasted', table('retail-a\tUSD\tKES\t1\t'))
    const request = new Request(world.origin, { method: 'POST', body: form })
    const type = { 'content-type': request.headers.get('content-type')! }
    const body = await request.bytes()
    const ask = (headers: Record<string, string>) =>
      ada.visitor.ask(PRICES, { method: 'POST', body, headers: { ...type, ...headers } })
    expect((await ask({})).status).toBe(403)
    expect((await ask({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await ask({ origin: 'https://evil.example' })).status).toBe(403)
  })
})

describe('the limit of an account to providers', () => {
  test('marks rows of others, and fills in the only one', async () => {
    const bob = await treasurer(world, { providers: ['retail-a'] })
    const preview = await pasted(bob.visitor, table('retail-b\tUSD\tKES\t129\t'))
    const shown = await seen(preview, bob.visitor)
    expect(shown).toContain('this account may record prices of retail-a only')
    expect(shown).not.toContain('Record 1 price')
    const own = await pasted(bob.visitor, 'from\tto\trate\nUSD\tKES\t132')
    expect((await record(bob.visitor, own)).status).toBe(303)
    expect(await storedRate('USD', 'KES', 'retail-a')).toMatchObject({ rate: '132' })
  })

  test('is enforced at the time of recording', async () => {
    const bob = await treasurer(world)
    const form = await recordForm(
      bob.visitor,
      await pasted(bob.visitor, table('retail-b\tEUR\tKES\t140\t')),
    )
    const { id } = await world.accountOf(bob)
    const admin = await world.admin()
    await admin.visitor.submit(
      `/operator/account?id=${id}`,
      { providers: 'retail-a' },
      '/operator/providers',
    )
    expect(await recordAs(bob.visitor, form)).toMatchObject({ status: 409 })
    expect(await storedRate('EUR', 'KES', 'retail-b')).toBeNull()
  })
})

describe('recording', () => {
  test('needs another confirmation if a live price changed since the preview, and names it', async () => {
    const text = table('retail-a\tEUR\tUGX\t4100\t', 'retail-b\tEUR\tUGX\t4090\t')
    const preview = await pasted(ada.visitor, text)
    const form = await recordForm(ada.visitor, preview)
    const other = await treasurer(world)
    await record(other.visitor, await pasted(other.visitor, table('retail-a\tEUR\tUGX\t4110\t')))
    const before = await count()
    const { status, html } = await recordAs(ada.visitor, form)
    expect([status, await count()]).toEqual([409, before])
    expect(textOf(html)).toContain('Nothing was recorded: prices changed meanwhile.')
    expect(textOf(html)).toContain('1 live price below changed since you looked.')
    expect((await record(ada.visitor, preview)).location).toContain('said=recorded')
    expect(await count()).toBe(before + 2)
  })

  test('happens once when it is confirmed twice, concurrently or later, and at two replicas', async () => {
    const preview = await pasted(ada.visitor, table('retail-a\tEUR\tXOF\t655\t'))
    const form = await recordForm(ada.visitor, preview)
    const before = await count()
    const all = await Promise.all([
      recordAs(ada.visitor, form),
      recordAs(at(replica, ada), form),
      recordAs(ada.visitor, form),
    ])
    const later = await recordAs(ada.visitor, form)
    expect(new Set([...all, later].map(({ status, location }) => `${status} ${location}`))).toEqual(
      new Set([`303 ${PRICES}?said=recorded&upload=${form.upload}`]),
    )
    expect(await count()).toBe(before + 1)
  })

  test('works from a preview that another replica created', async () => {
    const preview = await pasted(ada.visitor, table('retail-b\tEUR\tXOF\t654\t'))
    const there = at(replica, ada)
    expect((await record(there, preview)).location).toContain('said=recorded')
    expect(await seen(PRICES, there)).toContain('Pasted table')
  })

  test('is not possible from an expired preview, or one of another account', async () => {
    const preview = await pasted(ada.visitor, table('retail-a\tEUR\tZAR\t20\t'))
    const form = await recordForm(ada.visitor, preview)
    const other = await treasurer(world)
    const form_token = await other.visitor.token(PRICES)
    const stolen = await recordAs(other.visitor, { ...form, form_token })
    expect(stolen.location).toBe(`${PRICES}?said=expired`)
    world.clock.advance(2 * HOUR_MS + 1)
    const late = await recordAs(ada.visitor, form)
    expect(late.location).toBe(`${PRICES}?said=expired`)
    expect(await seen(late.location!)).toContain('That preview is gone')
    expect(await storedRate('EUR', 'ZAR', 'retail-a')).toBeNull()
  })

  test('continues after the session ended, since the table is stored', async () => {
    const bob = await treasurer(world)
    const preview = await pasted(bob.visitor, table('retail-a\tGBP\tZAR\t23\t'))
    const form = await recordForm(bob.visitor, preview)
    const cookies = new Map(bob.visitor.cookies)
    bob.visitor.cookies.clear()
    expect((await recordAs(bob.visitor, form)).status).toBe(403)
    const away = await bob.visitor.get(preview)
    expect(away.location).toBe(`/sign-in?next=${encodeURIComponent(preview)}`)
    for (const [name, value] of cookies) bob.visitor.cookies.set(name, value)
    expect(await seen(PRICES, bob.visitor)).toContain('Not recorded yet')
    expect((await record(bob.visitor, preview)).location).toContain('said=recorded')
  })

  test('keeps at most five previews of an account', async () => {
    const bob = await treasurer(world)
    const previews: string[] = []
    for (let i = 0; i < 6; i++) {
      world.clock.advance(1000)
      previews.push(await pasted(bob.visitor, table(`retail-a\tGBP\tXOF\t${770 + i}\t`)))
    }
    const shown = await Promise.all(previews.map((path) => bob.visitor.get(path)))
    expect(shown.map(({ status }) => status)).toEqual([303, 200, 200, 200, 200, 200])
  })
})

describe('uploads', () => {
  test('are listed with their senders, and are withdrawn whole', async () => {
    const bob = await treasurer(world)
    const rows = ['retail-a\tGBP\tUGX\t4700\t2', 'retail-b\tGBP\tUGX\t4710\t']
    await record(bob.visitor, await pasted(bob.visitor, table('retail-a\tGBP\tUGX\t4600\t')))
    world.clock.advance(60_000)
    const done = await record(bob.visitor, await pasted(bob.visitor, table(...rows)))
    const id = new URL(done.location!, world.origin).searchParams.get('upload')!
    const list = rowsOf((await bob.visitor.get(PRICES)).html)
    expect(list[1]!.slice(0, 3)).toEqual(['Pasted table', '2', bob.email])
    const page = await seen(`${PRICES}/upload?upload=${id}`, bob.visitor)
    expect(page).toContain('2 prices, recorded')
    expect(page).toMatch(/retail-a GBP to UGX 4,700\.00 £2\.00/)
    const question = `${PRICES}/withdraw?upload=${id}`
    expect((await bob.visitor.submit(question, { reason: ' ' }, `${PRICES}/withdraw`)).status).toBe(
      400,
    )
    const gone = await bob.visitor.submit(question, { reason: 'old list' }, `${PRICES}/withdraw`)
    expect(await seen(gone.location!, bob.visitor)).toContain('Withdrawn: the 2 prices')
    expect(await storedRate('GBP', 'UGX', 'retail-a')).toMatchObject({ rate: '4600' })
    expect(await storedRate('GBP', 'UGX', 'retail-b')).toBeNull()
    world.clock.advance(HOUR_MS)
    expect(await seen('/?from=GBP&to=UGX')).toContain('4,600.00')
    expect(await seen(`${PRICES}/upload?upload=${id}`, bob.visitor)).toContain('count nowhere')
    expect((await bob.visitor.get(question)).location).toBe(PRICES)
  })

  test('belong to their account, and an admin sees and withdraws all', async () => {
    const bob = await treasurer(world)
    const done = await record(
      ada.visitor,
      await pasted(ada.visitor, table('retail-b\tGBP\tXOF\t780\t')),
    )
    const id = new URL(done.location!, world.origin).searchParams.get('upload')!
    expect(await seen(PRICES, bob.visitor)).not.toContain(ada.email)
    for (const what of ['upload', 'withdraw'])
      expect((await bob.visitor.get(`${PRICES}/${what}?upload=${id}`)).location).toBe(PRICES)
    const form_token = await bob.visitor.token(PRICES)
    const fields = { form_token, upload: id, reason: 'mine' }
    expect((await bob.visitor.post(`${PRICES}/withdraw`, fields)).location).toBe(PRICES)
    expect(await storedRate('GBP', 'XOF', 'retail-b')).not.toBeNull()
    const admin = await world.admin()
    expect(await seen(PRICES, admin.visitor)).toContain(ada.email)
    const question = `${PRICES}/withdraw?upload=${id}`
    await admin.visitor.submit(question, { reason: 'wrong' }, `${PRICES}/withdraw`)
    expect(await storedRate('GBP', 'XOF', 'retail-b')).toBeNull()
  })

  test('of 10,000 rows are recorded, shown and withdrawn in one piece', async () => {
    const bob = await treasurer(world)
    const before = await count()
    const start = world.clock.now() - 300 * 24 * HOUR_MS
    const rows = Array.from({ length: 10_000 }, (_, i) => {
      const iso = new Date(start + i * 600_000).toISOString()
      return `retail-${i % 2 ? 'a' : 'b'},NGN,${['KES', 'UGX', 'XOF', 'ZAR'][i % 4]},${1 + i / 1e4},${iso}`
    })
    const bytes = Buffer.from(`provider,from,to,rate,effective from\n${rows.join('\n')}\n`)
    const preview = (await send(bob.visitor, { bytes, name: 'year.csv' })).location!
    expect(await seen(preview, bob.visitor)).toContain('Record 10,000 prices')
    const done = await record(bob.visitor, preview)
    expect(done.location).toContain('said=recorded')
    expect(await count()).toBe(before + 10_000)
    const id = new URL(done.location!, world.origin).searchParams.get('upload')!
    expect(await seen(`${PRICES}/upload?upload=${id}&page=50`, bob.visitor)).toContain(
      'Page 50 of 50',
    )
    const question = `${PRICES}/withdraw?upload=${id}`
    const gone = await bob.visitor.submit(question, { reason: 'wrong year' }, `${PRICES}/withdraw`)
    expect(gone.location).toContain('said=withdrawn')
    expect(await count()).toBe(before)
    const [kept] = await world.database.sql<{ n: number }[]>`
      select count(*)::int n from withdrawals where reason = 'wrong year'`
    expect(kept!.n).toBe(10_000)
  }, 120_000)
})

describe('GET /developer/prices/template.xlsx', () => {
  test('lists the corridors of the account, and is recorded without its other rows when filled in', async () => {
    const bob = await treasurer(world, { providers: ['retail-a'] })
    const reply = await fetch(`${world.origin}${PRICES}/template.xlsx`, {
      headers: { cookie: [...bob.visitor.cookies].map((pair) => pair.join('=')).join('; ') },
    })
    expect(reply.headers.get('content-disposition')).toContain('corridor-prices.xlsx')
    const { header, rows } = await gridOf(await reply.bytes())
    expect(header.slice(0, 4)).toEqual(['provider_id', 'from', 'to', 'rate'])
    expect(new Set(rows.map(({ cells }) => cells[0]))).toEqual(new Set(['retail-a']))
    const [first, second] = rows.map(({ cells }) => cells)
    const text = [header, [...first!.slice(0, 3), '5.5'], second!]
      .map((row) => row.join('\t'))
      .join('\n')
    const preview = await pasted(bob.visitor, text)
    const shown = await seen(preview, bob.visitor)
    expect(shown).toContain('Rows without any price are left out: 1.')
    expect(shown).toContain('Record 1 price')
  })
})

test('an upload is recorded although a program has sent its name as an Idempotency-Key', async () => {
  const preview = await pasted(ada.visitor, table('retail-a\tGBP\tUGX\t4700\t'))
  const { upload: id } = await recordForm(ada.visitor, preview)
  const { sql } = world.database
  await sql`
    insert into idempotency (account_id, key, body_hash, inserted, ids, created_at)
    select account_id, ${`upload ${id}`}, ${'1'.repeat(64)}, 0, '{}', now()
    from upload_drafts where id = ${id!}::uuid`
  await record(ada.visitor, preview)
  expect(await storedRate('GBP', 'UGX', 'retail-a')).toMatchObject({ rate: '4700' })
})
