import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isNestedTooDeep, NESTING_MAX } from '~/wire/nesting.ts'

const nested = (depth: number, core = '') => '['.repeat(depth) + core + ']'.repeat(depth)

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

describe('isNestedTooDeep', () => {
  test('accepts the maximum depth, and no level more', () => {
    expect(isNestedTooDeep(nested(NESTING_MAX))).toBe(false)
    expect(isNestedTooDeep(nested(NESTING_MAX + 1))).toBe(true)
    expect(isNestedTooDeep('{"a":'.repeat(NESTING_MAX + 1))).toBe(true)
    expect(isNestedTooDeep('')).toBe(false)
  })

  test('counts depth, not brackets, and ignores those inside a string', () => {
    expect(isNestedTooDeep(nested(1, Array(99).fill('[]').join()))).toBe(false)
    expect(isNestedTooDeep(`["${'['.repeat(99)}"]`)).toBe(false)
    expect(isNestedTooDeep(`["\\"${'['.repeat(99)}\\\\"]`)).toBe(false)
    expect(isNestedTooDeep(`["\\\\",${'['.repeat(99)}`)).toBe(true)
  })

  test('agrees with the parsed value, for any JSON', () => {
    const law = fc.property(fc.jsonValue({ maxDepth: 25 }), (value) => {
      expect(isNestedTooDeep(JSON.stringify(value))).toBe(depthOf(value) > NESTING_MAX)
    })
    fc.assert(law)
  })
})
