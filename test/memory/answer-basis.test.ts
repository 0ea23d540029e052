import { beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { AnswerBasis } from '~/memory/answer-basis.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { quote } from '../support/quotes.ts'
import { BASE_MS } from './histories.ts'

const NOW: Freshness = { tier: 'hourly', nowMs: BASE_MS + 1000, cutoffMs: BASE_MS }

let memory: Memory
let basis: AnswerBasis

const publish = (added: Parameters<Memory['publish']>[0]) => memory.publish(added, NOW.nowMs)
const holds = (freshness: Partial<Freshness> = {}) =>
  basis.holds(memory.current, { ...NOW, ...freshness })

beforeEach(() => {
  memory = new Memory()
  publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } })
  publish({ quotes: [quote({ atMs: BASE_MS })] })
  basis = new AnswerBasis(memory.current, NOW)
  basis.readBook('USD', 'KES', memory.current.quotes.book('USD', 'KES'))
})

describe('AnswerBasis.holds', () => {
  test('from its own time up to that in which time alone changes nothing', () => {
    basis.lastUntil(NOW.nowMs + 5)
    basis.lastUntil(NOW.nowMs + 7)
    const held = [-1, 0, 5, 6].map((ms) => holds({ nowMs: NOW.nowMs + ms }))
    expect(held).toEqual([false, true, true, false])
  })

  test('for one cutoff alone', () => {
    expect(holds({ cutoffMs: BASE_MS - HOUR_MS })).toBe(false)
    expect(holds({ cutoffMs: BASE_MS + 1 })).toBe(false)
  })

  test('while quotes of other corridors change, unless it is of all quotes', () => {
    publish({ quotes: [quote({ id: 2, atMs: BASE_MS, from: 'GBP' })] })
    expect([holds(), holds()]).toEqual([true, true])
    basis.readAllQuotes()
    publish({ quotes: [quote({ id: 3, atMs: BASE_MS, to: 'NGN' })] })
    expect(holds()).toBe(false)
  })

  test('until a quote, a reference or the catalogue changes', () => {
    expect(holds()).toBe(true)
    publish({ quotes: [quote({ id: 2, atMs: BASE_MS + 1 })] })
    expect(holds()).toBe(false)
    basis = new AnswerBasis(memory.current, NOW)
    publish({
      references: [{ id: 1, atMs: BASE_MS, currency: 'KES', perUsd: 130, source: 'feed' }],
    })
    expect(holds()).toBe(false)
    basis = new AnswerBasis(memory.current, NOW)
    publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } })
    expect(holds()).toBe(false)
  })
})
