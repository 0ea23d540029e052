import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { leftOut, sliced } from '~/mcp/page.ts'

describe('leftOut', () => {
  test('is empty for a complete list, to the last item', () => {
    expect(leftOut({ providers: 0 }, { limit: 50, offset: 0 })).toEqual({})
    expect(leftOut({ providers: 50 }, { limit: 50, offset: 0 })).toEqual({})
    expect(leftOut({ providers: 51 }, { limit: 50, offset: 0 })).toEqual({
      next_offset: 50,
      note: 'this holds providers 1 to 50 of 51; ask again with offset 50 for the next',
    })
  })

  test('names no next page after the last, nor after one beyond it', () => {
    expect(leftOut({ providers: 100 }, { limit: 50, offset: 50 })).toEqual({
      note: 'this holds providers 51 to 100 of 100',
    })
    expect(leftOut({ providers: 3 }, { limit: 50, offset: 50 })).toEqual({
      note: 'this holds none of 3 providers',
    })
  })

  test('continues as long as one of two lists does', () => {
    expect(leftOut({ currencies: 2, corridors: 5 }, { limit: 3, offset: 0 })).toEqual({
      next_offset: 3,
      note:
        'this holds currencies 1 to 2 of 2 and corridors 1 to 3 of 5; ' +
        'ask again with offset 3 for the next',
    })
  })

  test('leads from page to page through the whole list, each item once', () => {
    const lists = fc.array(fc.integer(), { maxLength: 40 })
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 500 }), (all, limit) => {
        const seen: number[] = []
        let offset: number | undefined = 0
        while (offset !== undefined) {
          seen.push(...sliced(all, { limit, offset }))
          offset = leftOut({ items: all.length }, { limit, offset }).next_offset
        }
        expect(seen).toEqual(all)
      }),
    )
  })
})
