import { describe, expect, test } from 'bun:test'
import { Crowd, type CrowdRules } from '~/domain/crowd.ts'
import type { Quote } from '~/domain/quote.ts'
import { offered } from '../support/offers.ts'

/** A price of a provider; one above 500 is suspect. */
const said = (id: number, providerId: string, rate: number, validUntilMs: number | null = null) =>
  offered({ validUntilMs }, { id, providerId, rate })

const RULES: CrowdRules = {
  activityOf: () => ({ isActive: true, changes: [] }),
  fits: () => true,
  isSuspect: ({ rate }: Quote) => rate > 500,
}

const crowdOf = (rules: Partial<CrowdRules> = {}) => new Crowd(['a', 'b'], { ...RULES, ...rules })

describe('Crowd', () => {
  test('has no best without a quote, and the highest of each kind with some', () => {
    const crowd = crowdOf()
    expect([crowd.best('retail'), crowd.bestBelieved('retail')]).toEqual([0, 0])
    crowd.receive([said(1, 'a', 100), said(2, 'b', 90)], 10)
    expect([crowd.best('retail'), crowd.bestBelieved('retail')]).toEqual([100, 100])
    expect([crowd.best('official'), crowd.bestBelieved('official')]).toEqual([0, 0])
  })

  test('follows each quote that replaces the best, upwards and downwards', () => {
    const crowd = crowdOf()
    crowd.receive([said(1, 'a', 100), said(2, 'b', 90)], 10)
    const after = [said(3, 'b', 110), said(4, 'b', 80), said(5, 'a', 70)].map((quote) => {
      crowd.receive([quote], 10 + quote.id)
      return crowd.bestBelieved('retail')
    })
    expect(after).toEqual([110, 100, 80])
  })

  test('ignores every suspect quote, whenever it comes', () => {
    const crowd = crowdOf()
    crowd.receive([said(1, 'a', 100), said(2, 'b', 900)], 10)
    expect([crowd.best('retail'), crowd.bestBelieved('retail')]).toEqual([900, 100])
    crowd.receive([said(3, 'b', 800)], 11)
    expect([crowd.best('retail'), crowd.bestBelieved('retail')]).toEqual([800, 100])
  })

  test('returns to the older quote once the newer has expired, and not at its end', () => {
    const crowd = crowdOf()
    crowd.receive([said(1, 'a', 100), said(2, 'a', 200, 30), said(3, 'a', 300, 20)], 10)
    const bests = [20, 21, 30, 31].map((atMs) => {
      crowd.receive([], atMs)
      return crowd.bestBelieved('retail')
    })
    expect(bests).toEqual([300, 200, 200, 100])
  })

  test('drops an older quote that expires before the newer', () => {
    const crowd = crowdOf()
    crowd.receive([said(1, 'a', 100, 20), said(2, 'a', 90, 30)], 10)
    crowd.receive([], 15)
    expect(crowd.best('retail')).toBe(90)
    crowd.receive([], 31)
    expect(crowd.best('retail')).toBe(0)
  })

  test('counts a provider while it is active, and no suspect quote', () => {
    const changes = [{ sinceMs: 20, isActive: false }]
    const crowd = crowdOf({
      activityOf: (id) => ({ isActive: id !== 'a', changes: id === 'a' ? changes : [] }),
    })
    crowd.receive([said(1, 'a', 100), said(2, 'b', 90)], 10)
    const bests = [10, 19, 20].map((atMs) => {
      crowd.receive([], atMs)
      return crowd.bestBelieved('retail')
    })
    expect(bests).toEqual([100, 100, 90])
    const others = crowdOf({ fits: ({ providerId }) => providerId === 'b' })
    others.receive([said(1, 'a', 100), said(2, 'b', 90)], 10)
    expect(others.best('retail')).toBe(90)
  })
})
