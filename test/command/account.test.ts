import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { isWellFormedKey, keyHashOf } from '~/domain/api-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { provider } from '../support/catalogue.ts'
import { BARE_ENV } from '../support/child.ts'
import { corridor, corridorProcess, corridorWith, documentOf } from '../support/command.ts'
import { MailSink } from '../support/mail-sink.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

const run = (...args: string[]) => corridor(args, database.url)
const create = async (email: string, ...more: string[]) =>
  documentOf(await run('account', 'create', '--email', email, '--json', ...more))

describe('account create', () => {
  test('prints an account and its first key, and stores only the hash of the key', async () => {
    const made = await create('Ada@Example.org', '--plan', 'enterprise', '--role', 'treasury')
    expect(Object.keys(made)).toEqual(['account_id', 'email', 'plan', 'role', 'key_id', 'key'])
    expect(made).toMatchObject({ email: 'ada@example.org', plan: 'enterprise', role: 'treasury' })
    expect(isWellFormedKey(made.key)).toBe(true)
    const { keys } = await createAccountStore(database).loadAccount(made.account_id)
    expect(keys).toEqual([
      {
        id: made.key_id,
        accountId: made.account_id,
        name: 'default',
        hash: keyHashOf(made.key),
        lastFour: made.key.slice(-4),
        revokedMs: null,
      },
    ])
  })

  test('creates a free member by default, and tells a person that the key is shown only once', async () => {
    const { status, stdout, said } = await run('account', 'create', '--email', 'free@example.org')
    expect([status, said]).toEqual([0, []])
    expect(stdout).toMatch(/plan +free\n/)
    expect(stdout).toMatch(/role +member\n/)
    expect(stdout).toMatch(/key +crd_\w{38}\n/)
    expect(stdout).toContain('shown this once')
  })

  test('fails in one line for an email that has an account', async () => {
    await create('twice@example.org')
    const again = await run('account', 'create', '--email', 'TWICE@example.org', '--json')
    expect(again).toEqual({
      status: 1,
      stdout: '',
      said: ['corridor: there is already an account for twice@example.org'],
    })
  })

  const wrong: string[][] = [
    [],
    ['--email', 'nobody'],
    ['--email', 'a b@example.org'],
    ['--email', `${'x'.repeat(250)}@example.org`],
    ['--email', 'a@example.org', '--plan', 'gold'],
    ['--email', 'a@example.org', '--role', 'Admin'],
    ['--email', 'a@example.org', '--colour', 'red'],
    ['--email', 'a@example.org', 'extra'],
  ]
  for (const args of wrong)
    test(`is wrong usage with ${args.join(' ').slice(0, 60) || 'nothing'}`, async () => {
      const { status, stdout, said } = await run('account', 'create', ...args)
      expect([status, stdout]).toEqual([2, ''])
      expect(said[0]).toStartWith('error: ')
    })
})

describe('the email of a new key', () => {
  const settings = (url: string) => ({
    SMTP_URL: url,
    DATABASE_URL: database.url,
    MAIL_FROM: 'corridor@example.org',
    PUBLIC_URL: 'https://corridor.example/fx',
  })

  test("goes to the account's person, and contains no part of the key", async () => {
    const sink = new MailSink()
    const env = settings(sink.url)
    const email = 'emailed@example.org'
    const made = documentOf(
      await corridorWith(env, ['account', 'create', '--email', email, '--json']),
    )
    const args = ['key', 'create', '--account', made.account_id, '--name', 'batch job', '--json']
    const further = documentOf(await corridorWith(env, args))
    const mails = await sink.until(2)
    sink.stop()
    for (const [i, name] of ['default', 'batch job'].entries()) {
      expect(mails[i]).toContain(`To: ${email}\n`)
      expect(mails[i]).toContain('Subject: A new API key for Corridor\n')
      const mark = `crd_…${[made, further][i].key.slice(-4)}`
      expect(mails[i]).toContain(`The key "${name}" (${mark}) was made for your account at `)
      expect(mails[i]).toContain('\nhttps://corridor.example/fx/developer')
    }
    for (const { key } of [made, further]) expect(mails.join()).not.toContain(key.slice(4))
  })

  test('is reported when it could not be sent, and the key is created nevertheless', async () => {
    const sink = new MailSink()
    sink.stop()
    const args = ['account', 'create', '--email', 'unemailed@example.org', '--json']
    const { status, stdout, said } = await corridorWith(settings(sink.url), args)
    expect(status).toBe(0)
    expect(isWellFormedKey(JSON.parse(stdout).key)).toBe(true)
    expect(said).toEqual([
      expect.stringMatching(
        /^the key is made, but the mail that tells unemailed@example.org of it was not sent: /,
      ),
    ])
  })
})

describe('account update', () => {
  test('changes the options that are given and leaves the rest', async () => {
    const { account_id } = await create('grow@example.org', '--role', 'treasury')
    const args = ['account', 'update', account_id, '--plan', 'pro', '--json']
    expect(documentOf(await run(...args))).toEqual({
      account_id,
      email: 'grow@example.org',
      plan: 'pro',
      role: 'treasury',
    })
  })

  test('fails for an unknown account, and is wrong usage with nothing to change', async () => {
    for (const id of [NOBODY, 'nobody']) {
      const unknown = await run('account', 'update', id, '--plan', 'pro')
      expect(unknown.status).toBe(1)
      expect(unknown.said).toEqual([
        `corridor: there is no account ${id}; account list shows them all`,
      ])
    }
    expect((await run('account', 'update', NOBODY)).status).toBe(2)
    expect((await run('account', 'update')).status).toBe(2)
  })
})

describe('account update --providers', () => {
  const limit = (id: string, providers: string, ...more: string[]) =>
    run('account', 'update', id, '--providers', providers, '--json', ...more)

  test('limits a treasury account, and lifts the limit', async () => {
    const providers = [provider('bank-a'), provider('bank-b')]
    await createCatalogueStore(database).apply({ currencies: [], providers })
    const { account_id } = await create('bound@example.org', '--role', 'treasury')
    expect(documentOf(await limit(account_id, 'bank-b, bank-a'))).toMatchObject({
      providers: ['bank-a', 'bank-b'],
    })
    const unknown = await limit(account_id, 'bank-a,nosuch')
    expect([unknown.status, unknown.said]).toEqual([
      1,
      [
        'corridor: nothing was changed: no provider has the id nosuch; use the ids of the catalogue',
      ],
    ])
    expect(documentOf(await limit(account_id, ''))).not.toHaveProperty('providers')
  })

  test('is refused for an account that will not be a treasury account', async () => {
    const { account_id } = await create('unbound@example.org')
    const refused = await limit(account_id, 'bank-a')
    expect([refused.status, refused.said]).toEqual([
      1,
      [
        'corridor: nothing was changed: only treasury accounts can be limited to providers, and ' +
          'the role of this one is member',
      ],
    ])
    const both = await limit(account_id, 'bank-a', '--role', 'treasury')
    expect(documentOf(both)).toMatchObject({ role: 'treasury', providers: ['bank-a'] })
  })
})

describe('account update --role admin', () => {
  const env = () => ({ DATABASE_URL: database.url })
  const answering = (answer: boolean) => {
    const questions: string[] = []
    const isSure = async (question: string) => {
      questions.push(question)
      return answer
    }
    return { questions, isSure }
  }
  const promote = (id: string, ...more: string[]) => [
    ...['account', 'update', id, '--role', 'admin', '--json'],
    ...more,
  ]

  test('needs confirmation by name, and changes nothing without a yes', async () => {
    const { account_id } = await create('boss@example.org')
    const no = answering(false)
    expect(await corridorWith(env(), promote(account_id), no)).toEqual({
      status: 1,
      stdout: '',
      said: ['corridor: nothing was changed'],
    })
    expect(no.questions).toEqual([
      'Make boss@example.org an admin, who may change every account and end every key?',
    ])
    const { accounts } = await createAccountStore(database).loadAccount(account_id)
    expect(accounts[0]!.role).toBe('member')
    const yes = answering(true)
    expect(documentOf(await corridorWith(env(), promote(account_id), yes)).role).toBe('admin')
    expect(yes.questions).toHaveLength(1)
  })

  test('asks on a terminal, and reads the input there', async () => {
    const { account_id } = await create('typed@example.org')
    const typed = async (answer: string) => {
      let shown = ''
      const child = Bun.spawn([process.execPath, 'src/main.ts', ...promote(account_id)], {
        cwd: join(import.meta.dir, '../..'),
        env: { ...BARE_ENV, DATABASE_URL: database.url },
        terminal: {
          data(_terminal, bytes) {
            shown += new TextDecoder().decode(bytes)
          },
        },
      })
      await until('the question', async () => shown.includes('(yes/no)'))
      child.terminal!.write(answer)
      const status = await child.exited
      child.terminal!.close()
      return { status, shown }
    }
    const no = await typed('n\n')
    expect([no.status, no.shown.includes('nothing was changed')]).toEqual([1, true])
    const END_OF_INPUT = '\u0004'
    expect((await typed(END_OF_INPUT)).status).toBe(1)
    const yes = await typed('yes\n')
    expect([yes.status, yes.shown.includes('"role":"admin"')]).toEqual([0, true])
  })

  test('does not ask with --yes, for an admin, for another role, or in a script', async () => {
    const no = answering(false)
    const { account_id: id } = await create('sure@example.org')
    expect(documentOf(await corridorWith(env(), promote(id, '--yes'), no)).role).toBe('admin')
    expect(documentOf(await corridorWith(env(), promote(id), no)).role).toBe('admin')
    const down = ['account', 'update', id, '--role', 'treasury', '--json']
    expect(documentOf(await corridorWith(env(), down, no)).role).toBe('treasury')
    expect(no.questions).toEqual([])
    expect(documentOf(await corridorWith(env(), promote(id))).role).toBe('admin')
  })

  test('fails for an unknown account before any question', async () => {
    const no = answering(false)
    const { status, said } = await corridorWith(env(), promote(NOBODY), no)
    expect([status, said]).toEqual([
      1,
      [`corridor: there is no account ${NOBODY}; account list shows them all`],
    ])
    expect(no.questions).toEqual([])
  })
})

describe('account list', () => {
  test('is an array in order of creation', async () => {
    const made = await create('last@example.org')
    const accounts = documentOf(await run('account', 'list', '--json'))
    expect(accounts.at(-1)).toEqual({
      account_id: made.account_id,
      email: 'last@example.org',
      plan: 'free',
      role: 'member',
      created_at: expect.stringMatching(ISO),
      keys: 1,
      active_keys: 1,
    })
  })

  test('never shows a key or its hash', async () => {
    const made = await create('secret@example.org')
    const { stdout } = await run('account', 'list')
    expect(stdout).toContain('secret@example.org')
    expect(stdout).not.toContain(made.key)
    expect(stdout).not.toContain(keyHashOf(made.key))
  })
})

describe('key', () => {
  test('create prints a key that is not the first one', async () => {
    const { account_id, key } = await create('keys@example.org')
    const args = ['key', 'create', '--account', account_id, '--name', 'laptop', '--json']
    const made = documentOf(await run(...args))
    expect(Object.keys(made)).toEqual(['key_id', 'name', 'key'])
    expect(made.name).toBe('laptop')
    expect(isWellFormedKey(made.key)).toBe(true)
    expect(made.key).not.toBe(key)
  })

  test('create --read-only prints a key with a budget of its own, and list marks it', async () => {
    const { account_id } = await create('sheets@example.org')
    const args = ['key', 'create', '--account', account_id, '--json', '--name']
    const made = documentOf(await run(...args, 'a', '--read-only'))
    expect(made.key).toStartWith('crr_')
    await run(...args, 'b', '--read-only', '--budget', '7')
    const { keys } = await createAccountStore(database).loadAccount(account_id)
    expect(keys.map((key) => key.dailyBudget).sort()).toEqual([100, 7, undefined])
    const listed = documentOf(await run('key', 'list', '--account', account_id, '--json'))
    expect(listed[1].key).toBe(`crr_…${made.key.slice(-4)}`)
    const revoked = await run('key', 'revoke', made.key_id)
    expect(revoked.stdout).toContain(`(crr_…${made.key.slice(-4)}) is revoked`)
    expect((await run(...args, 'c', '--budget', '7')).status).toBe(2)
    expect((await run(...args, 'd', '--read-only', '--budget', '0')).status).toBe(2)
  })

  test('create --read-only --origins limits a key to pages, and list shows them', async () => {
    const { account_id } = await create('pages@example.org')
    const args = ['key', 'create', '--account', account_id, '--json', '--name']
    const origins = ['--origins', 'https://Shop.example/, http://localhost:5173']
    const made = documentOf(await run(...args, 'a', '--read-only', ...origins))
    expect(
      documentOf(await run('key', 'list', '--account', account_id, '--json'))[1],
    ).toMatchObject({
      ...{ key_id: made.key_id, origins: ['https://shop.example', 'http://localhost:5173'] },
    })
    expect((await run(...args, 'b', ...origins)).status).toBe(2)
    for (const wrong of ['shop.example', 'https://shop.example/prices', ''])
      expect((await run(...args, 'c', '--read-only', '--origins', wrong)).status).toBe(2)
  })

  test('revoke ends a key and prints since when, and prints the same the next time', async () => {
    const { account_id, key_id, key } = await create('revoke@example.org')
    const revoked = documentOf(await run('key', 'revoke', key_id, '--json'))
    expect(revoked).toEqual({ key_id, revoked_at: expect.stringMatching(ISO) })
    expect(documentOf(await run('key', 'revoke', key_id, '--json'))).toEqual(revoked)
    const keys = documentOf(await run('key', 'list', '--account', account_id, '--json'))
    expect(keys).toEqual([
      {
        key_id,
        name: 'default',
        key: `crd_…${key.slice(-4)}`,
        created_at: expect.stringMatching(ISO),
        revoked_at: revoked.revoked_at,
      },
    ])
  })

  test('list and revoke show how keys begin and end, and no more', async () => {
    const { account_id, key_id, key } = await create('mark@example.org')
    const old = await createAccountStore(database).createKey({
      ...{ accountId: account_id, name: 'old', hash: 'f'.repeat(64), actor: 'test' },
    })
    const listed = await run('key', 'list', '--account', account_id)
    expect(listed.stdout).toMatch(new RegExp(`default +crd_…${key.slice(-4)} `))
    expect(listed.stdout).toMatch(/old +crd_… /)
    expect(listed.stdout).not.toContain(key.slice(4, -4))
    const revoked = await run('key', 'revoke', key_id)
    expect(revoked.stdout).toStartWith(`key ${key_id} (crd_…${key.slice(-4)}) is revoked since `)
    expect((await run('key', 'revoke', old!.id)).stdout).toStartWith(`key ${old!.id} (crd_…) is`)
  })

  test('an unknown account or key is a failure in one line', async () => {
    const noAccount = `corridor: there is no account ${NOBODY}; account list shows them all`
    const create = await run('key', 'create', '--account', NOBODY, '--name', 'x')
    const list = await run('key', 'list', '--account', NOBODY, '--json')
    const revoke = await run('key', 'revoke', 'nothing')
    for (const { status, stdout } of [create, list, revoke])
      expect([status, stdout]).toEqual([1, ''])
    expect([create.said, list.said]).toEqual([[noAccount], [noAccount]])
    expect(revoke.said).toEqual([
      "corridor: there is no key nothing; key list shows an account's keys",
    ])
  })

  test('is wrong usage without an account or a name, or with an invalid name', async () => {
    expect((await run('key', 'list')).status).toBe(2)
    expect((await run('key', 'create', '--account', NOBODY)).status).toBe(2)
    for (const name of [' ', 'a\nb', 'x'.repeat(61)])
      expect((await run('key', 'create', '--account', NOBODY, '--name', name)).status).toBe(2)
  })
})

describe('corridor', () => {
  test('a process ends with 0 and its result, 1 and one line, or 2 for wrong usage', async () => {
    const ended = (...args: string[]) => corridorProcess(args, { databaseUrl: database.url })
    expect(documentOf(await ended('account', 'list', '--json'))).toBeArray()
    expect(await ended('key', 'revoke', 'nothing', '--json')).toEqual({
      status: 1,
      stdout: '',
      said: ["corridor: there is no key nothing; key list shows an account's keys"],
    })
    const wrong = await ended('account', 'create', '--plan', 'gold')
    expect([wrong.status, wrong.stdout]).toEqual([2, ''])
  })
})

describe('account reset-second-factor', () => {
  test('fails for an account without a person, and for one that does not exist', async () => {
    const { account_id } = await create('programs-only@example.org')
    for (const id of [account_id, NOBODY, 'nonsense']) {
      const { status, said } = await run('account', 'reset-second-factor', id)
      expect([status, said[0]]).toEqual([
        1,
        expect.stringContaining(`account ${id} does not exist`),
      ])
    }
  })

  test('prints whom it let in, and what it removed', async () => {
    const { account_id } = await create('lost@example.org')
    await database.sql`
      insert into portal_users
        (id, name, email, email_verified, created_at, updated_at, two_factor_enabled, account_id)
      values ('lost', '', 'lost@example.org', true, now(), now(), true, ${account_id})`
    await database.sql`
      insert into portal_two_factors (id, user_id, secret, backup_codes)
      values ('lost', 'lost', 'x', 'x')`
    const made = documentOf(await run('account', 'reset-second-factor', account_id, '--json'))
    expect(made).toEqual({ account_id, email: 'lost@example.org', removed: 1 })
    const [user] = await database.sql`select two_factor_enabled from portal_users where id = 'lost'`
    expect(user!.two_factor_enabled).toBe(false)
  })
})
