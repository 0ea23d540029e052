import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { MailedLink } from '~/domain/account.ts'
import { isOutage } from '~/store/outage.ts'
import { createAuth } from '~/store/portal/auth.ts'
import { cheapPasswords } from '../../support/deterrents.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { otherHandle } from '../samples.ts'

const PASSWORD = 'correct horse battery'
const OTHER = 'a new pair of shoes'

type Auth = ReturnType<typeof createAuth>
type SignedIn = Extract<Awaited<ReturnType<Auth['signIn']>>, { userId: string }>

let database: FreshDatabase
let auth: Auth
const links: MailedLink[] = []
const faults: string[] = []

beforeAll(async () => {
  database = await freshDatabase()
  auth = createAuth(database, {
    secret: async () => 'k'.repeat(10) + crypto.randomUUID(),
    cookiePrefix: '',
    cookiePath: '/',
    onLink: (link) => void links.push(link),
    onFault: (message) => void faults.push(message),
    passwords: cheapPasswords,
  })
})
afterAll(() => database.close())

const newEmail = () => `${crypto.randomUUID()}@example.com`

async function resetToken(email: string): Promise<string> {
  await auth.requestReset(email)
  return linkTo(email).token
}

const linkTo = (email: string) => links.findLast((link) => link.email === email)!

async function confirmed(email = newEmail()): Promise<{ email: string; signedIn: SignedIn }> {
  await auth.signUp({ language: 'en', email, password: PASSWORD })
  await auth.confirm(linkTo(email).token)
  return { email, signedIn: (await auth.signIn({ email, password: PASSWORD })) as SignedIn }
}

const cookieHeaders = ({ cookies }: SignedIn): Headers =>
  new Headers({ cookie: cookies.map((line) => line.split(';')[0]).join('; ') })

describe('signUp', () => {
  test('emails a link that confirms the email, and signs no person in before that', async () => {
    const email = newEmail()
    await auth.signUp({ language: 'en', email, password: PASSWORD })
    expect(linkTo(email)).toMatchObject({ kind: 'confirm', email })
    expect(await auth.signIn({ email, password: PASSWORD })).toBe('unconfirmed')
    expect(await auth.confirm(linkTo(email).token)).toBe(true)
    expect(await auth.signIn({ email, password: PASSWORD })).toMatchObject({ email })
  })

  test('emails a reset link to a known person and leaves the password alone', async () => {
    const { email } = await confirmed()
    await auth.signUp({ language: 'en', email: email.toUpperCase(), password: OTHER })
    expect(linkTo(email)).toMatchObject({ kind: 'reset', email })
    expect(await auth.signIn({ email, password: OTHER })).toBe('wrong')
    expect(await auth.signIn({ email, password: PASSWORD })).toMatchObject({ email })
  })

  test('returns false for an invalid email and for a password too short or too long', async () => {
    const email = newEmail()
    expect(await auth.signUp({ language: 'en', email: 'nobody', password: PASSWORD })).toBe(false)
    expect(await auth.signUp({ language: 'en', email, password: 'x'.repeat(9) })).toBe(false)
    expect(await auth.signUp({ language: 'en', email, password: 'x'.repeat(129) })).toBe(false)
    expect(linkTo(email)).toBeUndefined()
    expect(await auth.signUp({ language: 'en', email, password: 'x'.repeat(128) })).toBe(true)
    expect(await auth.signUp({ language: 'en', email: newEmail(), password: 'x'.repeat(10) })).toBe(
      true,
    )
  })

  test('stores no password, and salts its hash', async () => {
    await confirmed()
    await confirmed()
    const rows = await database.sql<{ password: string }[]>`select password from portal_credentials`
    expect(new Set(rows.map(({ password }) => password)).size).toBe(rows.length)
    expect(JSON.stringify(rows)).not.toContain(PASSWORD)
    const dump = await database.sql`select * from portal_users, portal_sessions`
    expect(JSON.stringify(dump)).not.toContain(PASSWORD)
  })
})

describe('signIn', () => {
  test('is wrong for an unknown email, as for a wrong password', async () => {
    const { email } = await confirmed()
    expect(await auth.signIn({ email, password: OTHER })).toBe('wrong')
    expect(await auth.signIn({ email: newEmail(), password: PASSWORD })).toBe('wrong')
    expect(await auth.signIn({ email: 'nobody', password: PASSWORD })).toBe('wrong')
  })

  test('starts another session each time, in a cookie that scripts cannot read', async () => {
    const { email, signedIn } = await confirmed()
    const again = (await auth.signIn({ email, password: PASSWORD })) as SignedIn
    expect(again.cookies).not.toEqual(signedIn.cookies)
    for (const line of again.cookies) {
      expect(line).toContain('HttpOnly')
      expect(line).toContain('SameSite=Lax')
      expect(line).not.toContain('Secure')
    }
  })
})

describe('session', () => {
  test('is the person of the cookie, until sign-out', async () => {
    const { email, signedIn } = await confirmed()
    const headers = cookieHeaders(signedIn)
    expect(await auth.session(headers)).toMatchObject({ email, userId: signedIn.userId })
    const forgotten = await auth.signOut(headers)
    expect(forgotten.join()).toContain('Max-Age=0')
    expect(await auth.session(headers)).toBeNull()
  })

  test('is null without a cookie, with a forged one and with an expired one', async () => {
    const { signedIn } = await confirmed()
    const headers = cookieHeaders(signedIn)
    expect(await auth.session(new Headers())).toBeNull()
    const forged = headers.get('cookie')!.replace(/.{12}$/, 'AAAAAAAAAAAA')
    expect(await auth.session(new Headers({ cookie: forged }))).toBeNull()
    const { userId } = signedIn
    await database.sql`update portal_sessions set expires_at = now() where user_id = ${userId}`
    expect(await auth.session(headers)).toBeNull()
  })
})

describe('reset', () => {
  test('changes the password once and ends every session', async () => {
    const { email, signedIn } = await confirmed()
    await auth.requestReset(email)
    const { token } = linkTo(email)
    expect(await auth.reset({ token, password: OTHER })).toBe(true)
    expect(await auth.session(cookieHeaders(signedIn))).toBeNull()
    expect(await auth.signIn({ email, password: PASSWORD })).toBe('wrong')
    expect(await auth.signIn({ email, password: OTHER })).toMatchObject({ email })
    expect(await auth.reset({ token, password: PASSWORD })).toBe(false)
  })

  test('ends every other link of the person, older or newer, and only those', async () => {
    const [{ email }, other] = [await confirmed(), await confirmed()]
    const older = await resetToken(email)
    const used = await resetToken(email)
    const newer = await resetToken(email)
    const foreign = await resetToken(other.email)
    expect(await auth.reset({ token: used, password: OTHER })).toBe(true)
    for (const token of [older, newer])
      expect(await auth.reset({ token, password: PASSWORD })).toBe(false)
    expect(await auth.signIn({ email, password: OTHER })).toMatchObject({ email })
    expect(await auth.reset({ token: foreign, password: OTHER })).toBe(true)
  })

  test('lets one of two concurrent links set the password, and expires the other', async () => {
    const { email } = await confirmed()
    const tokens = [await resetToken(email), await resetToken(email)]
    const passwords = [`${OTHER} 0`, `${OTHER} 1`]
    const done = await Promise.all(
      tokens.map((token, i) => auth.reset({ token, password: passwords[i]! })),
    )
    expect(done.toSorted()).toEqual([false, true])
    const password = passwords[done.indexOf(true)]!
    expect(await auth.signIn({ email, password })).toMatchObject({ email })
  })

  test('ends the links with any other new password too', async () => {
    const { email, signedIn } = await confirmed()
    const token = await resetToken(email)
    await database.sql`update portal_credentials set password = password || 'x'
      where user_id = ${signedIn.userId}`
    expect(await auth.reset({ token, password: OTHER })).toBe(false)
  })

  test('needs a token, and stores only its hash', async () => {
    const { email } = await confirmed()
    const token = await resetToken(email)
    const rows = await database.sql`select v::text from portal_verifications v`
    expect(JSON.stringify(rows)).not.toContain(token)
    const [row] = await database.sql<{ identifier: string }[]>`select identifier
      from portal_verifications order by created_at desc limit 1`
    expect(await auth.reset({ token: row!.identifier, password: OTHER })).toBe(false)
    expect(await auth.reset({ token, password: OTHER })).toBe(true)
  })

  test('accepts a link that was emailed before hashes were stored', async () => {
    const { email, signedIn } = await confirmed()
    const token = crypto.randomUUID()
    await database.sql`insert into portal_verifications
      (id, identifier, value, expires_at, created_at, updated_at)
      values (${token}, ${`reset-password:${token}`}, ${signedIn.userId},
        now() + interval '1 hour', now(), now())`
    expect(await auth.reset({ token, password: OTHER })).toBe(true)
    expect(await auth.signIn({ email, password: OTHER })).toMatchObject({ email })
  })

  test('sends nothing to an unknown email', async () => {
    const email = newEmail()
    await auth.requestReset(email)
    expect(linkTo(email)).toBeUndefined()
  })

  test('confirms the email of a person who signed up first, through the emailed link', async () => {
    const email = newEmail()
    await auth.signUp({ language: 'en', email, password: PASSWORD })
    await auth.signUp({ language: 'en', email, password: OTHER })
    expect(linkTo(email).kind).toBe('reset')
    expect(await auth.reset({ token: linkTo(email).token, password: OTHER })).toBe(true)
    expect(await auth.signIn({ email, password: PASSWORD })).toBe('wrong')
    expect(await auth.signIn({ email, password: OTHER })).toMatchObject({ email })
  })

  test('changes nothing for an expired link, a forged one and a short password', async () => {
    const { email } = await confirmed()
    await auth.requestReset(email)
    const { token } = linkTo(email)
    expect(await auth.reset({ token, password: 'short' })).toBe(false)
    expect(await auth.reset({ token: 'made-up', password: OTHER })).toBe(false)
    await database.sql`update portal_verifications set expires_at = now() - interval '1 second'`
    expect(await auth.reset({ token, password: OTHER })).toBe(false)
    expect(await auth.signIn({ email, password: PASSWORD })).toMatchObject({ email })
  })
})

test('confirm refuses a token that we did not sign', async () => {
  const email = newEmail()
  await auth.signUp({ language: 'en', email, password: PASSWORD })
  const { token } = linkTo(email)
  expect(await auth.confirm(`${token.slice(0, -6)}AAAAAA`)).toBe(false)
  expect(await auth.confirm('x')).toBe(false)
  expect(await auth.signIn({ email, password: PASSWORD })).toBe('unconfirmed')
})

test("rejects with the database's error if the database is unreachable", async () => {
  const gone = otherHandle(database)
  const secret = async () => 'k'.repeat(40)
  const away = createAuth(gone, {
    secret,
    cookiePrefix: '',
    cookiePath: '/',
    onLink() {},
    onFault() {},
    passwords: cheapPasswords,
  })
  const { signedIn, email } = await confirmed()
  expect(await away.session(cookieHeaders(signedIn))).toBeNull()
  const valid = (await away.signIn({ email, password: PASSWORD })) as SignedIn
  await gone.close()
  const asked = [
    away.session(cookieHeaders(valid)),
    away.signIn({ email, password: PASSWORD }),
    away.signUp({ language: 'en', email: newEmail(), password: PASSWORD }),
    away.requestReset(email),
  ]
  for (const outcome of await Promise.allSettled(asked))
    expect(outcome.status === 'rejected' && isOutage(outcome.reason)).toBe(true)
})

test('none of this was logged as an error', () => {
  expect(faults).toEqual([])
})
