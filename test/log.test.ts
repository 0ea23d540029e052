import { describe, expect, test } from 'bun:test'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import fc from 'fast-check'
import { newApiKey } from '~/domain/api-key.ts'
import { createLog, LOG_LEVELS } from '~/log.ts'

const lines: string[] = []
const logOf = (options: Partial<Parameters<typeof createLog>[0]> = {}) => {
  lines.length = 0
  return createLog({
    level: 'trace',
    format: 'json',
    write: (line) => lines.push(line),
    ...options,
  })
}
const last = () => JSON.parse(lines.at(-1)!)

describe('createLog', () => {
  test('writes one JSON object a line, with time, level, context and message', () => {
    logOf().warn({ job: 'prune', count: 3 }, 'job failed')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toEndWith('}\n')
    const { time, ...rest } = last()
    expect(rest).toEqual({ level: 'warn', job: 'prune', count: 3, msg: 'job failed' })
    expect(new Date(time).toISOString()).toBe(time)
  })

  test('writes lines at its level or above, and says so', () => {
    for (const [i, level] of LOG_LEVELS.entries()) {
      const log = logOf({ level })
      for (const at of ['debug', 'info', 'warn', 'error'] as const) log[at]({}, at)
      const wanted = ['trace', 'debug', 'info', 'warn', 'error']
        .slice(i)
        .filter((at) => at !== 'trace')
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual(wanted)
      expect(log.isLevelEnabled?.('debug')).toBe(i <= 1)
    }
  })

  test("writes an error's type, message, code, stack and causes", () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    logOf().error({ err: new TypeError('away', { cause }) }, 'request failed')
    expect(last().err).toEqual({
      type: 'TypeError',
      message: 'away',
      stack: expect.stringContaining('log.test.ts'),
      cause: {
        ...{ type: 'Error', message: 'refused', code: 'ECONNREFUSED' },
        stack: expect.any(String),
      },
    })
  })

  test("writes none of a query's values, wherever the drivers keep them", () => {
    const driver = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(hunter2@example.com) already exists.',
      query: 'insert into account',
      parameters: ['hunter2'],
      args: ['hunter2'],
    })
    const query = new DrizzleQueryError('insert into account values ($1)', ['hunter2'], driver)
    expect(query.message).toContain('hunter2')
    logOf().error({ err: query }, 'request failed')
    expect(lines.join()).not.toContain('hunter2')
    expect(last().err).toMatchObject({
      message: 'Failed query: insert into account values ($1)',
      cause: { message: 'duplicate key', code: '23505' },
    })
  })

  test('names the worker in every line', () => {
    const log = logOf({ worker: 1 })
    log.info({}, 'one')
    log.error({ job: 'prune' }, 'two')
    expect(lines.map((line) => JSON.parse(line).worker)).toEqual([1, 1])
  })

  test('bounds the lines of one warning or error in a minute, and says how many it left out', async () => {
    const log = logOf({ repetitions: { linesMax: 3, windowMs: 60_000 } })
    for (let i = 0; i < 1000; i++) {
      log.warn({ i }, 'the database is away')
      if (i < 3) log.error({ i }, 'request failed')
      if (i < 10) log.info({ i }, 'news')
    }
    const said = () => lines.map((line) => JSON.parse(line))
    const count = (wanted: string) => said().filter(({ msg }) => msg === wanted).length
    const counts = ['the database is away', 'request failed', 'news'].map(count)
    expect(counts).toEqual([3, 3, 10])
    await log.flushed()
    expect(lines).toHaveLength(17)
    expect(last()).toMatchObject({ level: 'warn', lines: 997, like: 'the database is away' })
  })

  test('says how many when the time is over, and starts over', async () => {
    const { promise: summary, resolve } = Promise.withResolvers<string>()
    const written: string[] = []
    const write = (line: string) => {
      written.push(line)
      if (line.includes('left out')) resolve(line)
    }
    const log = logOf({ repetitions: { linesMax: 1, windowMs: 20 }, write })
    for (let i = 0; i < 5; i++) log.warn({}, 'away')
    expect(JSON.parse(await summary)).toMatchObject({ lines: 4, like: 'away' })
    log.warn({}, 'away')
    expect(written).toHaveLength(3)
  })

  test('bounds how many messages it distinguishes', async () => {
    const log = logOf({ repetitions: { linesMax: 1, windowMs: 60_000 } })
    for (let i = 0; i < 5000; i++) log.warn({}, `message ${i}`)
    await log.flushed()
    expect(lines).toHaveLength(202)
    expect(last()).toMatchObject({ lines: 4799, like: 'other messages' })
  })

  test('accepts anything as an error', () => {
    for (const err of [null, undefined, 'text', 7, { password: 'hunter2' }])
      logOf().error({ err }, '')
    expect(lines.join()).not.toContain('hunter2')
    let deep = new Error('0')
    for (let i = 1; i < 50; i++) deep = new Error(String(i), { cause: deep })
    logOf().error({ err: deep }, 'deep')
    expect(lines[0]!.match(/"cause"/g)).toHaveLength(5)
  })

  test('hides an API key in any place of any line', () => {
    const key = fc
      .constant(null)
      .map(() => newApiKey((n) => crypto.getRandomValues(new Uint8Array(n))))
    const around = fc.string()
    fc.assert(
      fc.property(key, around, around, (secret, before, after) => {
        const log = logOf()
        const text = `${before} ${secret} ${after}`
        log.info({ text, list: [secret], [secret]: 1, err: new Error(text) }, text)
        expect(lines.join()).not.toContain(secret.slice(4))
        expect(() => last()).not.toThrow()
      }),
    )
  })

  test.each([
    ['a header of that name', { headers: { authorization: 'Bearer abcdef-123' } }],
    ['a cookie', { headers: { 'set-cookie': ['x'], cookie: 'session=abcdef-123' } }],
    [
      'a member of that name',
      { password: 'abcdef-123', apiKey: 'abcdef-123', token: 'abcdef-123' },
    ],
    ['a URL with a password', { url: 'postgres://user:abcdef-123@host:5432/db' }],
    ['a URL with a token', { url: 'https://host/x?from=USD&access_token=abcdef-123&to=KES' }],
    ['a URL with a key', { url: 'https://host/x?key=abcdef-123' }],
    ['a bearer in a sentence', { text: 'sent Bearer abcdef-123 and failed' }],
    ['quotes inside', { secret: 'abc"def\\" abcdef-123' }],
  ])('hides %s', (_what, context) => {
    logOf().info({ ...context, from: 'USD' }, 'as it was')
    expect(lines.join()).not.toContain('abcdef-123')
    expect(last()).toMatchObject({ from: 'USD', msg: 'as it was' })
  })

  test('hides the secrets in the settings, in every line and format', () => {
    const secrets = ['correct horse', 'quo"ted\\secret', 'short', '']
    const log = logOf({ secrets })
    log.info({ a: 'the correct horse', b: 'quo"ted\\secret', c: 'short' }, 'correct horse')
    expect(last()).toEqual({
      ...{ level: 'info', time: expect.any(String) },
      ...{ a: 'the [hidden]', b: '[hidden]', c: 'short', msg: '[hidden]' },
    })
  })

  test('keeps the token in a link that the operator has to open, and only there', () => {
    const link = 'https://host/reset?from=mail&token=abcdef-123'
    logOf().warn({ to: 'a@b.example', link }, 'this link was not mailed')
    expect(last()).toMatchObject({ link })
    logOf().warn({ link, url: link }, link)
    const hidden = link.replace('abcdef-123', '[hidden]')
    expect(last()).toMatchObject({ link, url: hidden, msg: hidden })
  })

  test.each([
    ['words', 'token'],
    ['dots', 'a.'],
    ['blanks', ' '],
    ['quotes', '"'],
    ['addresses', 'a://b:c'],
    ['parameters', '&token'],
    ['equals', ' token='],
    ['assignments', '&token='],
    ['dashes', 'a-'],
    ['schemes', 'http://'],
  ])('searches a long line of %s in a single pass', (_what, text) => {
    const log = logOf()
    log.info({ text: text.repeat(1_000_000 / text.length) }, 'long')
    log.info({ link: text.repeat(1_000_000 / text.length) }, 'long')
    expect(lines).toHaveLength(2)
  })

  test('leaves everything else as it is', () => {
    const context = {
      route: '/api/v1/rates',
      query: { from: 'USD', to: 'KES' },
      keys: 3,
      url: 'https://host:443/path?from=USD',
      time_ms: 1.5,
      feed: 'open-er-api',
    }
    logOf().info(context, 'a token costs one unit')
    expect(last()).toMatchObject({ ...context, msg: 'a token costs one unit' })
  })
})
