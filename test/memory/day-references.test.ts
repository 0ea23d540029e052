import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Reference } from '~/domain/mid.ts'
import type { Moments, Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import { learnDays } from '~/memory/day-publication.ts'
import { DayReferences } from '~/memory/day-references.ts'
import { ReferenceIndex } from '~/memory/reference-index.ts'
import { answersOf } from '../support/days.ts'

const reference = (currency: string, atMs: number, id = 1): Reference => ({
  id,
  atMs,
  currency,
  perUsd: 100 + id,
  source: `feed-${id}`,
})
const at = (currency: string, atMs: number): Probe => ({ currency, atMs })
const of = (...probes: Probe[]): Moments =>
  new Map(
    [...Map.groupBy(probes, ({ currency }) => currency)].map(([currency, group]) => [
      currency,
      new Set(group.map(({ atMs }) => atMs)),
    ]),
  )
const probing = (counts: { left: number; lookups: number }) => ({
  memory: {
    expect: () => (counts.left-- > 0 ? [at('KES', 1)] : []),
    learn: () => {},
  } as never,
  days: {
    referencesAt: async () => {
      counts.lookups++
      return []
    },
  },
})
const present = (...references: Reference[]) => ReferenceIndex.empty.with(references, 0)

describe('DayReferences', () => {
  test('resolves a probe at or after the newest reference at once, and an empty list too', () => {
    const newest = reference('KES', 50)
    const asked = of(at('KES', 50), at('KES', 51), at('KES', 49), at('NGN', 7))
    const missing = DayReferences.empty.missing(asked, present(newest))
    expect(missing).toEqual([at('KES', 49)])
    const days = DayReferences.empty.serving(asked, present(newest))
    expect(days.reference(at('KES', 50))).toEqual(newest)
    expect(days.reference(at('KES', 51))).toEqual(newest)
    expect(days.reference(at('NGN', 7))).toBeUndefined()
    expect(days.missing(asked, present(newest))).toEqual([at('KES', 49)])
  })

  test('uses the newest reference of any currency for the dollar, at 1', () => {
    const days = DayReferences.empty.serving(of(at('USD', 60)), present(reference('KES', 50)))
    expect(days.reference(at('USD', 60))).toMatchObject({ atMs: 50, currency: 'USD', perUsd: 1 })
    const later = days.with([reference('NGN', 55, 2), reference('GBP', 61, 3)])
    expect(later.reference(at('USD', 60))).toMatchObject({ id: 2, currency: 'USD', perUsd: 1 })
  })

  test('leaves out a probe without a result, whatever was published for it', () => {
    const days = DayReferences.empty.expecting([at('KES', 40)]).with([reference('KES', 30, 2)])
    expect(days.reference(at('KES', 40))).toBeUndefined()
    const known = days.answered([{ ...at('KES', 40), reference: null }])
    expect(known.reference(at('KES', 40))).toEqual(reference('KES', 30, 2))
  })

  test('takes a day after the time of a probe for another', () => {
    const index = present(reference('KES', 50))
    const days = DayReferences.empty.serving(of(at('KES', 60)), index)
    expect(days.missing(of(at('KES', 40)), index)).toEqual([at('KES', 40)])
    expect(days.reference(at('KES', 55))).toBeUndefined()
  })

  test('leaves out the result of a probe that is not stored', () => {
    const answer: ProbeAnswer = { ...at('KES', 40), reference: reference('KES', 30) }
    expect(DayReferences.empty.answered([answer])).toBe(DayReferences.empty)
  })

  test('returns the same index when nothing new is added', () => {
    const index = present(reference('KES', 50))
    const days = DayReferences.empty.serving(of(at('KES', 40), at('KES', 60)), index)
    expect(days.serving(of(at('KES', 60), at('KES', 40)), index)).toBe(days)
    expect(days.expecting([at('KES', 40)])).toBe(days)
    expect(days.with([reference('KES', 61, 9), reference('GBP', 1, 8)])).toBe(days)
    expect(days.with([reference('KES', 50)])).toBe(days)
    expect(days.pruned(of(...days.probes))).toBe(days)
  })

  test('changes the serial if a served value changes, and only then', () => {
    const index = present(reference('KES', 50))
    const served = DayReferences.empty.serving(of(at('KES', 60), at('KES', 40)), index)
    const { serial } = served
    const more = served.expecting([at('KES', 41), at('GBP', 5)])
    const answered = more.answered([{ ...at('KES', 41), reference: reference('KES', 2) }])
    expect(answered.serial).toBe(serial)
    expect(answered.answered([{ ...at('KES', 40), reference: null }]).serial).toBe(serial)
    const one = answered.answered([{ ...at('KES', 40), reference: reference('KES', 2) }])
    expect(answered.with([reference('KES', 61, 3)]).serial).toBe(serial)
    const other = answered.with([reference('KES', 55, 3)])
    expect(new Set([serial, one.serial, other.serial]).size).toBe(3)
  })

  test('keeps on pruning what is needed and what is expected', () => {
    const index = present(reference('KES', 50))
    const days = DayReferences.empty
      .serving(of(at('KES', 60), at('KES', 61), at('GBP', 1)), index)
      .expecting([at('KES', 7)])
    const pruned = days.pruned(of(at('KES', 61)))
    expect(pruned.probes).toEqual([at('KES', 7), at('KES', 61)])
    expect(pruned.size).toBe(2)
  })
})

const currencies = fc.constantFrom('KES', 'NGN', 'USD')
const moments = fc.integer({ min: 0, max: 9 })
const probes = fc.array(fc.record({ currency: currencies, atMs: moments }), { maxLength: 4 })

/** Events between a database and one memory, in any order. */
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('commit' as const), currency: currencies, atMs: moments }),
    fc.record({ kind: fc.constant('receive' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('note' as const), probes, isServed: fc.boolean() }),
    fc.record({ kind: fc.constant('ask' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('answer' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('prune' as const), probes }),
  ),
  { maxLength: 40 },
)
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never

/**
 * A database that commits, and a memory that receives its commits late and out of order. Each note
 * of probes looks up the unanswered ones some time later.
 */
class Play {
  days = DayReferences.empty
  readonly #committed: Reference[] = []
  readonly #received = new Set<Reference>()
  readonly #questions: Probe[][] = []
  readonly #answers: ProbeAnswer[][] = []

  take(step: Step): void {
    switch (step.kind) {
      case 'commit':
        this.#committed.push(reference(step.currency, step.atMs, this.#committed.length + 1))
        break
      case 'receive':
        for (const one of picked(this.#committed, step.which)) this.#receive(one)
        break
      case 'note': {
        const index = present(...this.#received)
        const moments = of(...step.probes)
        const missing = this.days.missing(moments, index)
        this.days = step.isServed ? this.days.serving(moments, index) : this.days.expecting(missing)
        this.#questions.push(missing)
        break
      }
      case 'ask':
        for (const question of taken(this.#questions, step.which)) this.#ask(question)
        break
      case 'answer':
        for (const answers of taken(this.#answers, step.which))
          this.days = this.days.answered(answers)
        break
      case 'prune':
        this.days = this.days.pruned(of(...step.probes))
    }
  }

  /** Delivers everything in flight, each item once. */
  end(): void {
    for (const question of this.#questions.splice(0)) this.#ask(question)
    for (const one of this.#committed) if (!this.#received.has(one)) this.#receive(one)
    for (const answers of this.#answers.splice(0)) this.days = this.days.answered(answers)
  }

  /** Results of the plain rule for every noted probe. */
  get oracle(): ProbeAnswer[] {
    return answersOf(this.#committed, this.days.probes)
  }

  #ask(question: Probe[]): void {
    this.#answers.push(answersOf(this.#committed, question))
  }

  #receive(one: Reference): void {
    this.#received.add(one)
    this.days = this.days.with([one])
  }
}

const picked = <T>(all: readonly T[], which: number): T[] =>
  all.length === 0 ? [] : [all[which % all.length]!]

const taken = <T>(all: T[], which: number): T[] =>
  all.length === 0 ? [] : all.splice(which % all.length, 1)

describe('days between a database and memory', () => {
  test('have the newest reference of each in any order of arrival', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const play = new Play()
        for (const step of all) {
          const before = play.days
          play.take(step)
          const { days } = play
          if (step.kind === 'note' || step.kind === 'prune') expect(days.serial).toBe(before.serial)
          expect(days.probes).toHaveLength(days.size)
        }
        play.end()
        for (const { reference: found, ...probe } of play.oracle)
          expect(play.days.reference(probe) ?? null).toEqual(found)
      }),
      { numRuns: 500 },
    )
  })

  test('show every change of a served value in the serial', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const play = new Play()
        const served = new Map<string, Probe>()
        for (const step of all) {
          const before = play.days
          play.take(step)
          const { days } = play
          if (step.kind === 'note' && step.isServed)
            for (const probe of step.probes) served.set(JSON.stringify(probe), probe)
          if (step.kind === 'prune' || days.serial !== before.serial) continue
          for (const probe of served.values()) {
            const isNoted = before.probes.some((noted) => Bun.deepEquals(noted, probe))
            if (isNoted) expect(days.reference(probe)).toEqual(before.reference(probe))
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

test('days are looked up only while one is missing, and at most five times', async () => {
  for (const [missing, lookups] of [
    [0, 0],
    [2, 2],
    [99, 5],
  ] as const) {
    const counts = { left: missing, lookups: 0 }
    await learnDays(probing(counts), {})
    expect(counts.lookups).toBe(lookups)
  }
})
