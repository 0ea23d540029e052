import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { observation } from '../store/samples.ts'
import { corridor, documentOf } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

let database: FreshDatabase
let folder: string

beforeAll(async () => {
  database = await freshDatabase()
  folder = await scratchFolder()
})
afterAll(() => database.close())

const run = (...args: string[]) => corridor(args, database.url)

async function apply(text: string, name = 'catalogue.json') {
  const path = join(folder, name)
  await writeFile(path, text)
  return run('catalogue', 'apply', path, '--json')
}

const named = async () => {
  const { currencies, providers } = await createCatalogueStore(database).load()
  return [...currencies.map(({ code }) => code), ...providers.map(({ id }) => id)].sort()
}

describe('catalogue apply', () => {
  test('creates and updates the entries of a file, and leaves the others', async () => {
    const first = {
      currencies: [
        { code: 'NGN', name: 'Naira', minor_units: 2 },
        { code: 'kes', name: 'Kenyan Shilling' },
      ],
      providers: [{ id: 'wise', name: 'Wise' }],
    }
    expect(documentOf(await apply(JSON.stringify(first)))).toEqual({ currencies: 2, providers: 1 })
    const second = { currencies: [{ code: 'NGN', name: 'Nigerian Naira', is_active: false }] }
    expect(documentOf(await apply(JSON.stringify(second)))).toEqual({ currencies: 1, providers: 0 })
    const { currencies } = await createCatalogueStore(database).load()
    expect(currencies.find(({ code }) => code === 'NGN')).toMatchObject({
      name: 'Nigerian Naira',
      isActive: false,
    })
    expect(await named()).toEqual(['KES', 'NGN', 'wise'])
  })

  test('a provider that is switched off no longer counts in hours that it quoted in advance', async () => {
    const currencies = ['USD', 'XOF'].map((code) => ({ code, name: code }))
    const provider = { id: 'ahead', name: 'Ahead' }
    await apply(JSON.stringify({ currencies, providers: [provider] }))
    const effectiveMs = Date.now() + 30_000
    const row = observation({ providerId: 'ahead', to: 'XOF', rateType: 'retail', effectiveMs })
    const store = createObservationStore(database)
    await store.record({ observations: [row], idempotency: null })
    await apply(JSON.stringify({ providers: [{ ...provider, is_active: false }] }))
    const verified = documentOf(await run('rollups', 'verify', '--json'))
    expect(verified).toEqual({ corridors: 1, differences: 0 })
  })

  test('does not apply a file with any error, and lists every error', async () => {
    const before = await named()
    const file = { currencies: [{ code: 'GHS', name: 'Cedi' }, { code: 'G' }], provider: [] }
    const { status, stdout, said } = await apply(JSON.stringify(file), 'wrong.json')
    expect([status, stdout]).toEqual([1, ''])
    expect(said).toEqual([
      'provider is not a known field',
      'currencies[1].name is missing: it must be a text of 1 to 200 characters on one line, none of which is hidden or turns its direction',
      'currencies[1].code must be 3 or 4 letters, not "G"',
      `corridor: nothing was applied: correct ${join(folder, 'wrong.json')} and apply it again`,
    ])
    expect(await named()).toEqual(before)
  })

  test('a file with an impossible peg is not applied', async () => {
    const file = {
      currencies: [
        { code: 'XOF', name: 'CFA franc', peg: { to: 'EUR', rate: 655.957 } },
        { code: 'XAF', name: 'CFA franc', peg: { to: 'xaf', rate: 1 } },
      ],
    }
    const { status, said } = await apply(JSON.stringify(file), 'pegs.json')
    expect([status, await named()]).toEqual([1, expect.not.arrayContaining(['XAF'])])
    expect(said).toEqual([
      'currency XAF is pegged to itself',
      'currency XOF is pegged to EUR, which the catalogue does not have',
      `corridor: nothing was applied: correct ${join(folder, 'pegs.json')} and apply it again`,
    ])
  })

  test('says how many more errors there are than it lists', async () => {
    const currencies = Array.from({ length: 30 }, () => ({ code: 1, name: 'x' }))
    const { said } = await apply(JSON.stringify({ currencies }))
    expect(said).toHaveLength(22)
    expect(said[20]).toBe('and 10 more')
  })

  test('a file that cannot be read is a failure in one line', async () => {
    const missing = join(folder, 'missing.json')
    expect((await run('catalogue', 'apply', missing)).said).toEqual([
      `corridor: cannot read ${missing}: there is no such file`,
    ])
    expect((await run('catalogue', 'apply', folder)).said).toEqual([
      `corridor: cannot read ${folder}: it is a directory`,
    ])
    expect((await apply('', 'empty.json')).status).toBe(1)
  })

  test('a file over 16 MiB is refused', async () => {
    const path = join(folder, 'large.json')
    await writeFile(path, '{}')
    await truncate(path, 16 * 1_048_576 + 1)
    const { status, said } = await run('catalogue', 'apply', path)
    expect(status).toBe(1)
    expect(said).toEqual([`corridor: ${path} is larger than 16777216 bytes; split it`])
  })

  test('is wrong usage without a file', async () => {
    expect((await run('catalogue', 'apply')).status).toBe(2)
    expect((await run('catalogue')).status).toBe(2)
  })
})
