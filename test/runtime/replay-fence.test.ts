import { describe, expect, test } from 'bun:test'
import { ReplayFence } from '~/runtime/replay-fence.ts'
import { quote } from '../support/quotes.ts'

const KES = ['USD/KES']
const NGN = ['USD/NGN']
const reference = { id: 1, atMs: 1, currency: 'KES', perUsd: 129, source: 'feed' }

describe('ReplayFence', () => {
  test('every replica has everything without a change', () => {
    const fence = new ReplayFence()
    fence.note({})
    fence.note({ quotes: [] })
    expect([fence.isOpen, fence.isKnownAt(0, [...KES, ...NGN])]).toEqual([false, true])
  })

  test('a change is missing everywhere until its position is read, and present from that position on', () => {
    const fence = new ReplayFence()
    fence.note({ quotes: [quote()] })
    expect(fence.isOpen).toBe(true)
    expect(fence.isKnownAt(Number.POSITIVE_INFINITY, KES)).toBe(false)
    expect(fence.isKnownAt(0, NGN)).toBe(true)
    fence.reach(100, fence.changes)
    expect(fence.isOpen).toBe(false)
    expect([99, 100].map((at) => fence.isKnownAt(at, KES))).toEqual([false, true])
    expect(fence.isKnownAt(99, [...NGN, ...KES])).toBe(false)
  })

  test('a position that was requested before a change proves nothing about it', () => {
    const fence = new ReplayFence()
    fence.note({ quotes: [quote()] })
    const { changes } = fence
    fence.note({ quotes: [quote()] })
    fence.note({ references: [reference] })
    fence.reach(100, changes)
    expect(fence.isKnownAt(1000, KES)).toBe(false)
    expect(fence.isKnownAt(1000, ['KES'])).toBe(false)
    fence.reach(200, fence.changes)
    expect([199, 200].map((at) => fence.isKnownAt(at, [...KES, 'KES']))).toEqual([false, true])
  })

  test('a reference of any currency concerns the dollar, and no other currency', () => {
    const fence = new ReplayFence()
    fence.note({ references: [reference] })
    expect(['USD', 'KES', 'NGN'].map((code) => fence.isKnownAt(1000, [code]))).toEqual([
      false,
      false,
      true,
    ])
  })

  test('an unknown change concerns everything', () => {
    const fence = new ReplayFence()
    fence.note({ isPastChanged: true })
    expect(fence.isKnownAt(1000, NGN)).toBe(false)
    fence.reach(100, fence.changes)
    expect([99, 100].map((at) => fence.isKnownAt(at, NGN))).toEqual([false, true])
  })

  test('a change that every replica has replayed is dropped, and counts as present', () => {
    const fence = new ReplayFence()
    fence.note({ quotes: [quote()] })
    fence.reach(100, fence.changes)
    fence.forgetUpTo(99)
    expect(fence.isKnownAt(99, KES)).toBe(false)
    fence.forgetUpTo(100)
    expect(fence.isKnownAt(100, KES)).toBe(true)
  })
})
