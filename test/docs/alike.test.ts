import { describe, expect, test } from 'bun:test'
import { isAlike } from './alike.ts'

describe('isAlike', () => {
  test('accepts further fields, but no other value of the fields shown', () => {
    expect(isAlike('{"rate":1.5}', '{"rate":1.5,"fee":null}')).toBe(true)
    expect(isAlike('{"rate":1.5}', '{"rate":1.6}')).toBe(false)
    expect(isAlike('{"rate":1.5}', '{"error":"no such path"}')).toBe(false)
    expect(isAlike('{"rate":1.5}', 'curl: (7) could not connect')).toBe(false)
  })

  test('accepts a longer list only if the page leaves items out', () => {
    expect(isAlike('{"codes":["AED","..."]}', '{"codes":["AED","AOA"]}')).toBe(true)
    expect(isAlike('{"codes":["AED"]}', '{"codes":["AED","AOA"]}')).toBe(false)
    expect(isAlike('{"codes":["AED","..."]}', '{"codes":["AOA"]}')).toBe(false)
  })

  test('accepts other days, counts, keys and ids in strings, but no other words', () => {
    expect(isAlike('{"at":"2026-11-22T15:00:00.000Z"}', '{"at":"2027-01-02T03:04:05.006Z"}')).toBe(
      true,
    )
    expect(isAlike('{"key":"crd_abc"}', '{"key":"crd_Xyz9"}')).toBe(true)
    expect(isAlike('{"source":"rlz"}', '{"source":"ecb"}')).toBe(false)
    const id = '244bcc90-705c-4abc-81a3-f47330ac5e37'
    expect(isAlike(`${id} free`, `${id.replaceAll('a', 'f')}  free`)).toBe(true)
  })

  test('finds lines in order among others', () => {
    expect(isAlike('rows: 1\nrates: 2\n', '$ corridor\nrows: 3\nmore\nrates: 4\n')).toBe(true)
    expect(isAlike('rates: 2\nrows: 1\n', 'rows: 3\nrates: 4\n')).toBe(false)
    expect(isAlike('', 'whatever')).toBe(true)
  })
})
