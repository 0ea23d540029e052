import { expect, test } from 'bun:test'
import { concerns, EVERYWHERE, subscriptionTo } from '~/domain/live/subscription.ts'

const [toKes, toNgn] = ['KES', 'NGN'].map((to) => ({ from: 'USD', to }))

test('a subscription has each corridor once, in order of source and target', () => {
  const { corridors, names } = subscriptionTo([toNgn!, toKes!, { ...toNgn! }])
  expect(corridors).toEqual([toKes!, toNgn!])
  expect([...names!].sort()).toEqual(['USD/KES', 'USD/NGN'])
})

test('a change of its corridors, or a change that may affect any corridor, concerns a subscription', () => {
  const one = subscriptionTo([toKes!])
  expect(concerns(new Set(['GBP/NGN', 'USD/KES']), one)).toBe(true)
  expect(concerns(new Set(['GBP/NGN']), one)).toBe(false)
  expect(concerns(new Set(), one)).toBe(false)
  expect(concerns(null, one)).toBe(true)
  expect(concerns(new Set(['GBP/NGN']), EVERYWHERE)).toBe(true)
})
