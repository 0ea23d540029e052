import { describe, expect, test } from 'bun:test'
import { Random } from '../fuzz/random.ts'
import { type Answer, asked, differenceOf } from './answers.ts'
import { KINDS } from './questions.ts'

const answer = (more: Partial<Answer> = {}): Answer => {
  return { status: 200, headers: { etag: '"a"' }, text: '{"rate":1.5}', ...more }
}

describe('differenceOf', () => {
  test('is null for responses that are the same, byte for byte', () => {
    expect(differenceOf(answer(), answer())).toBeNull()
  })

  test('names statuses, headers and the position of the first difference', () => {
    expect(differenceOf(answer(), answer({ status: 503 }))).toBe('status 200 and 503')
    expect(differenceOf(answer(), answer({ headers: {} }))).toBe('header etag: "a" and undefined')
    const longer = answer({ text: '{"rate":1.52}' })
    expect(differenceOf(answer(), longer)).toStartWith('at 11: ')
    expect(differenceOf(longer, answer())).toStartWith('at 11: ')
  })

  test('ignores different ids, and nothing else', () => {
    const row = (id: number, rate: number) => answer({ text: `{"id":${id},"rate":${rate}}` })
    expect(differenceOf(row(7, 1.5), row(19, 1.5))).toBeNull()
    expect(differenceOf(row(7, 1.5), row(19, 1.6))).toStartWith('at ')
    const lines = (id: number, rate: number) => answer({ text: `id,rate\n${id},${rate}\n` })
    expect(differenceOf(lines(7, 15), lines(19, 15))).toBeNull()
    expect(differenceOf(lines(7, 15), lines(19, 16))).toStartWith('at ')
    const batch = (...ids: number[]) => answer({ text: JSON.stringify({ inserted: 2, ids }) })
    expect(differenceOf(batch(1, 2), batch(5, 6))).toBeNull()
  })

  test('finds a string that continues where the other ends', () => {
    expect(differenceOf(answer({ text: '' }), answer({ text: 'a' }))).toStartWith('at 0: ')
  })
})

describe('asked', () => {
  test('leaves out what depends only on the request', async () => {
    const server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      fetch: () =>
        new Response('{}', {
          headers: { etag: '"a"', 'x-request-id': '7', 'x-ratelimit-remaining': '3' },
        }),
    })
    try {
      const { headers } = await asked({ origin: server.url.origin }, '/api/v1/rates', {})
      expect(Object.keys(headers).sort()).toEqual(['content-type', 'etag'])
    } finally {
      await server.stop()
    }
  })
})

describe('KINDS', () => {
  test('yield the same requests for the same seed, and others for another', () => {
    const nowMs = Date.parse('2026-03-05T14:25:30.500Z')
    const pathsOf = (seed: number) =>
      KINDS.flatMap(({ path }) =>
        Array.from({ length: 50 }, (_, i) => path(new Random(seed, i), nowMs)),
      )
    expect(pathsOf(1)).toEqual(pathsOf(1))
    expect(pathsOf(1)).not.toEqual(pathsOf(2))
    expect(new Set(pathsOf(1)).size).toBeGreaterThan(KINDS.length * 25)
  })
})
