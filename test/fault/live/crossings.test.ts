import { describe, expect, test } from 'bun:test'
import { crossings, firingFaults, unseen } from './crossings.ts'
import type { Price } from './story.ts'

const price = (id: number, rate: number, effectiveMs = id, corridor = 'EUR/KES'): Price => ({
  ...{ position: id, id, corridor, rate, effectiveMs },
})
const watched = { corridor: 'EUR/KES', threshold: 150 }

describe('crossings', () => {
  test('are the prices that rise above the threshold, each once until a price is below it', () => {
    const prices = [price(1, 200), price(2, 201), price(3, 100), price(4, 202), price(5, 99)]
    const rates = (before: readonly Price[]) =>
      crossings({ ...watched, prices, before }).map(({ rate }) => rate)
    expect(rates([price(0, 100)])).toEqual([200, 202])
    expect(rates([price(0, 300)])).toEqual([202])
    expect(rates([])).toEqual([200, 202])
  })

  test('belong to one corridor, and only to its newest prices', () => {
    const prices = [price(1, 100, 50), price(2, 200, 40), price(3, 201, 60, 'GBP/KES')]
    expect(crossings({ ...watched, prices, before: [] })).toEqual([])
  })
})

describe('unseen', () => {
  test('are the crossings that are not visible at the end of their gap', () => {
    const prices = [price(1, 200), price(2, 100), price(3, 201), price(4, 100), price(5, 202)]
    const rates = (...gaps: { after: number; upTo: number }[]) =>
      unseen({ ...watched, prices, before: [] }, gaps).map(({ rate }) => rate)
    expect(rates()).toEqual([])
    expect(rates({ after: 0, upTo: 2 })).toEqual([200])
    expect(rates({ after: 0, upTo: 3 })).toEqual([200])
    expect(rates({ after: 1, upTo: 3 })).toEqual([201])
    expect(rates({ after: 1, upTo: 4 })).toEqual([201])
    expect(rates({ after: 0, upTo: 1 }, { after: 4, upTo: 9 })).toEqual([])
  })
})

describe('firingFaults', () => {
  test('finds no error if each crossing arrived under one id, however often', () => {
    const got = [
      { id: 'a', value: 200 },
      { id: 'a', value: 200 },
      { id: 'b', value: 202 },
    ]
    expect(firingFaults([price(1, 200), price(4, 202)], got)).toEqual({
      ...{ lost: [], doubled: [], strange: [] },
    })
  })

  test('reports crossings that never arrived or arrived under two ids, and alerts without a crossing', () => {
    const got = [
      { id: 'a', value: 200 },
      { id: 'c', value: 200 },
      { id: 'd', value: 99 },
    ]
    expect(firingFaults([price(1, 200), price(4, 202)], got)).toEqual({
      ...{ lost: [202], doubled: [200], strange: [99] },
    })
  })
})
