import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ExactJson, exactJson, Numeral } from '~/feed/exact-json.ts'

/** Value that JSON.parse would have returned. */
function plain(value: ExactJson): unknown {
  if (value instanceof Numeral) return Number(value.text)
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]))
  return value
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

describe('exactJson', () => {
  test('keeps the digits of numbers', () => {
    const text = '[1.10, 1e400, -0.0, 12345678901234567890]'
    expect((exactJson(text) as Numeral[]).map((numeral) => numeral.text)).toEqual([
      ...['1.10', '1e400', '-0.0', '12345678901234567890'],
    ])
  })

  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.boolean(), (value, wide) => {
        const text = JSON.stringify(value, null, wide ? 2 : 0)
        fc.pre(depthOf(value) <= 8 && !text.includes('__proto__'))
        expect(plain(exactJson(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  test.each(['', '{', '{"a":1', '[1,]', "{'a':1}", '{"a":NaN}', '{"a":01}', '{"a":+1}', '1 2'])(
    '%p is malformed',
    (text) => {
      expect(() => exactJson(text)).toThrow('did not return complete JSON')
    },
  )

  test('a name that appears twice is malformed, however it is spelled', () => {
    for (const text of ['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"a":1,"a":2}}]'])
      expect(() => exactJson(text)).toThrow('gives a field twice')
    expect(() => exactJson('{"a":{"a":1},"b":{"a":2}}')).not.toThrow()
  })

  test('eight levels are read, nine are refused, and thousands do no harm', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(() => exactJson(nested(8))).not.toThrow()
    for (const levels of [9, 100_000]) expect(() => exactJson(nested(levels))).toThrow()
  })
})
