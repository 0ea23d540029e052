import { beforeEach, describe, expect, test } from 'bun:test'
import { type Entry, Ledger, type Sight } from './ledger.ts'

const START_MS = Date.parse('2026-03-05T10:00:00Z')
const CORRIDOR = 'USD/KES'

let ledger: Ledger

beforeEach(() => {
  ledger = new Ledger([CORRIDOR], START_MS)
})

/**
 * An observation that replica `by` has acknowledged, with the times of the request and the
 * response.
 */
function acknowledged(sentMs: number, { by = 'a1', nowMs = sentMs + 5 } = {}): Entry {
  const entry = ledger.send(CORRIDOR, sentMs)
  ledger.acknowledge(entry, { nowMs, by })
  return entry
}

const sight = (more: Partial<Sight> = {}): Sight => ({
  corridor: CORRIDOR,
  askedAt: performance.now() + 60_000,
  answeredBy: 'b1',
  cutoffMs: Number.POSITIVE_INFINITY,
  graceMs: 1_000,
  ...more,
})

describe('Ledger', () => {
  test('accepts the newest acknowledged observation, and one that is in progress', () => {
    const known = acknowledged(START_MS + 100)
    const sent = ledger.send(CORRIDOR, START_MS + 200)
    expect(ledger.fault(sight(), known.seq, START_MS + 103)).toBeNull()
    expect(ledger.fault(sight(), sent.seq, START_MS + 201)).toBeNull()
  })

  test('reports an observation that was never sent, and a time that belongs to another', () => {
    const { seq } = acknowledged(START_MS + 100)
    expect(ledger.fault(sight(), seq + 1, null)).toContain('was never sent')
    expect(ledger.fault(sight(), null, null)).toContain('was never sent')
    expect(ledger.fault(sight(), seq, START_MS + 99)).toContain('time of another')
    expect(ledger.fault(sight(), seq, START_MS + 106)).toContain('time of another')
  })

  test('reports another replica for an older observation only after a second', () => {
    acknowledged(START_MS + 100)
    const soon = performance.now() + 500
    expect(ledger.fault(sight({ askedAt: soon }), 0, START_MS)).toBeNull()
    expect(ledger.fault(sight(), 0, START_MS)).toContain('and not USD/KES 1')
  })

  test('reports the replica that acknowledged at once, but not after its restart', () => {
    acknowledged(START_MS + 100)
    const askedAt = performance.now() + 1
    const mine = { askedAt, answeredBy: 'a1' }
    expect(ledger.fault(sight(mine), 0, START_MS)).toContain('and not')
    expect(ledger.fault(sight({ ...mine, answeredBy: 'a2' }), 0, START_MS)).toBeNull()
  })

  test('reports anything later than the cutoff, and anything older than the quote in force', () => {
    const early = acknowledged(START_MS + 100)
    const late = acknowledged(START_MS + 5_000)
    const cutoff = sight({ cutoffMs: START_MS + 1_000 })
    expect(ledger.fault(cutoff, early.seq, START_MS + 102)).toBeNull()
    expect(ledger.fault(cutoff, late.seq, START_MS + 5_001)).toContain('past the cutoff')
    expect(ledger.fault(cutoff, 0, START_MS)).toContain('and not USD/KES 1')
  })

  test('uses the time of the quote when the clock was turned back', () => {
    const ahead = acknowledged(START_MS + 9_000)
    const behind = acknowledged(START_MS + 1_000)
    expect(ledger.fault(sight(), ahead.seq, START_MS + 9_001)).toBeNull()
    expect(ledger.fault(sight(), behind.seq, START_MS + 1_001)).toContain('and not USD/KES 1')
  })

  test('allows for a clock that is turned while a request is in progress', () => {
    const entry = ledger.send(CORRIDOR, START_MS + 5_000)
    ledger.turned({ fromMs: START_MS + 5_010, toMs: START_MS + 10 })
    expect(ledger.fault(sight(), entry.seq, START_MS + 12)).toBeNull()
    ledger.acknowledge(entry, { nowMs: START_MS + 20, by: 'a1' })
    expect(ledger.fault(sight(), entry.seq, START_MS + 5_009)).toBeNull()
    expect(ledger.fault(sight(), entry.seq, START_MS + 5_011)).toContain('time of another')
  })

  test('evaluates a response without a time by all times that it may have had', () => {
    const retried = ledger.send(CORRIDOR, START_MS + 2_000)
    ledger.sendAgain(retried, START_MS + 500)
    ledger.acknowledge(retried, { nowMs: START_MS + 600, by: 'a1' })
    expect(retried).toMatchObject({ sinceMs: START_MS + 500, untilMs: START_MS + 2_000 })
    expect(ledger.fault(sight(), retried.seq, null)).toBeNull()
    expect(ledger.fault(sight(), 0, null)).toContain('and not')
  })
})
