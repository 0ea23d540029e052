import { counterOf, type Family } from './families.ts'

const OUTCOMES = ['recorded', 'refused', 'repeated'] as const
type Outcome = (typeof OUTCOMES)[number]

/** The maximum number of providers that are counted singly; all others are counted together. */
const PROVIDERS_MAX = 200
const OTHER = 'other'

/** Rows that were sent for recording since the process started, by provider and outcome. */
export class RowFigures {
  readonly #counts = new Map<string, Record<Outcome, number>>()

  /** Counts rows of these providers, which have to be known ones: they become labels. */
  count(outcome: Outcome, providerIds: Iterable<string>): void {
    for (const id of providerIds) this.#countsOf(id)[outcome]++
  }

  #countsOf(id: string): Record<Outcome, number> {
    const name = this.#counts.has(id) || this.#counts.size < PROVIDERS_MAX ? id : OTHER
    return this.#counts.getOrInsertComputed(name, () => ({ recorded: 0, refused: 0, repeated: 0 }))
  }

  /** The rows of all providers together. */
  total(outcome: Outcome): number {
    let sum = 0
    for (const counts of this.#counts.values()) sum += counts[outcome]
    return sum
  }

  readonly metrics: Family[] = [
    counterOf(
      ['rows_total', 'Rows sent for recording, by provider and by what became of them'],
      () =>
        [...this.#counts].flatMap(([provider, counts]) =>
          OUTCOMES.map((outcome) => [{ provider, outcome }, counts[outcome]] as const),
        ),
    ),
  ]
}
