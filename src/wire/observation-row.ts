import { currencyCode } from '~/domain/currency.ts'
import { isBetween } from '~/domain/decimal.ts'
import { instantOf } from '~/domain/instant.ts'
import {
  BACKFILL_YEARS_MAX,
  backfillStartMs,
  FEE_MAX,
  NOTES_LENGTH_MAX,
  type Observation,
  RATE_MAX,
  RATE_MIN,
  SIGNIFICANT_DIGITS_MAX,
  significantDigits,
} from '~/domain/observation.ts'
import { EVIDENCE, type Evidence } from '~/domain/price/evidence.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'

/** A number as the sender wrote it, where a double could not hold all of its digits. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}

export type RowRules = {
  readonly catalogue: CatalogueIndex
  readonly nowMs: number
  /** The `effective_from` of a row that has none. */
  readonly defaultEffectiveMs: number
}

export type RowReading =
  | { readonly observation: Observation; readonly faults: null }
  | { readonly observation: null; readonly faults: readonly string[] }

const ECHO_LENGTH_MAX = 40

/**
 * One row of `POST /rates` or of an import file, checked against every rule.
 *
 * Gives either the observation or all of the row's faults, each a sentence that names its field.
 * Optional fields may be null; unknown ones are ignored.
 */
export function readObservationRow(row: unknown, rules: RowRules): RowReading {
  if (typeof row !== 'object' || row === null || Array.isArray(row) || row instanceof WrittenNumber)
    return { observation: null, faults: ['a row must be a JSON object'] }
  const faults: string[] = []
  const reader = new RowReader(row as Record<string, unknown>, rules, faults)
  const provider = reader.provider()
  const [from, to] = reader.corridor()
  const rate = reader.decimal('rate', { min: RATE_MIN, max: RATE_MAX })
  if (rate === null && reader.isAbsent('rate')) faults.push('rate is required: a number above 0')
  const fee = reader.decimal('fee', { min: 0, max: FEE_MAX })
  const feeCurrency = reader.currency('fee_currency')
  const notes = reader.notes()
  const evidence = reader.evidence()
  const effectiveMs = reader.effectiveMs()
  if (faults.length > 0) return { observation: null, faults }
  const observation = {
    providerId: provider!.id,
    rateType: provider!.rateType,
    from: from!,
    to: to!,
    rate: rate!,
    fee,
    feeCurrency: feeCurrency ?? (fee === null ? null : from!),
    effectiveMs,
    notes,
    evidence,
    offer: null,
  }
  return { observation, faults: null }
}

class RowReader {
  constructor(
    private readonly row: Record<string, unknown>,
    private readonly rules: RowRules,
    private readonly faults: string[],
  ) {}

  isAbsent(field: string): boolean {
    return this.#value(field) === null
  }

  provider() {
    const id = this.#value('provider_id')
    if (id === null) return this.#fault('provider_id is required: an active id of /providers')
    const provider = typeof id === 'string' ? this.rules.catalogue.provider(id) : undefined
    return provider ?? this.#fault(`provider_id ${shown(id)} is not an active id of /providers`)
  }

  corridor(): [string | null, string | null] {
    const from = this.#side('source_currency', 'from')
    const to = this.#side('target_currency', 'to')
    if (from !== null && from === to)
      this.#fault(`source and target currency are both ${from}; a corridor needs two`)
    return [from, to]
  }

  currency(field: string): string | null {
    const text = this.#value(field)
    if (text === null) return null
    const code = typeof text === 'string' ? this.#code(text) : null
    if (code !== null && this.rules.catalogue.currency(code)) return code
    return this.#fault(`${field} ${shown(text)} is not a supported currency code`)
  }

  decimal(field: string, { min, max }: { min: number; max: number }): string | null {
    const value = this.#value(field)
    if (value === null) return null
    const text = value instanceof WrittenNumber ? value.text : numberText(value)
    const digits = text === null ? null : significantDigits(text)
    if (text === null || digits === null || !Number.isFinite(Number(text)))
      return this.#fault(`${field} must be a finite JSON number, not ${shown(value)}`)
    if (!isBetween(text, { min, max }))
      return this.#fault(`${field} must be between ${min} and ${max}, not ${shown(value)}`)
    if (digits > SIGNIFICANT_DIGITS_MAX)
      return this.#fault(`${field} has more than ${SIGNIFICANT_DIGITS_MAX} significant digits`)
    return text
  }

  notes(): string | null {
    const notes = this.#value('notes')
    if (notes === null) return null
    if (typeof notes !== 'string') return this.#fault('notes must be a text')
    if ([...notes].length > NOTES_LENGTH_MAX)
      return this.#fault(`notes must have at most ${NOTES_LENGTH_MAX} characters`)
    if (notes.includes('\0') || !notes.isWellFormed())
      return this.#fault('notes must be valid Unicode text without NUL characters')
    return notes
  }

  /** What stands behind the price; observed where nothing is said. */
  evidence(): Evidence {
    const text = this.#value('evidence')
    const word = EVIDENCE.find((known) => known === text)
    if (text !== null && !word)
      this.#fault(`evidence must be one of ${EVIDENCE.join(', ')}, not ${shown(text)}`)
    return word ?? 'observed'
  }

  effectiveMs(): number {
    const text = this.#value('effective_from')
    if (text === null) return this.rules.defaultEffectiveMs
    const ms = typeof text === 'string' ? instantOf(text) : null
    if (ms === null)
      this.#fault('effective_from must be an ISO-8601 date-time with offset: 2026-03-05T14:00:00Z')
    else if (ms > this.rules.nowMs) this.#fault('effective_from must not be in the future')
    else if (ms < backfillStartMs(this.rules.nowMs))
      this.#fault(`effective_from must not be more than ${BACKFILL_YEARS_MAX} years back`)
    return ms ?? 0
  }

  #code(text: string): string | null {
    return this.rules.catalogue.currency(text) ? text : currencyCode(text)
  }

  /** A side of the corridor by its full name or its alias; if both are given they must agree. */
  #side(field: string, alias: string): string | null {
    if (this.isAbsent(field) && this.isAbsent(alias))
      return this.#fault(`${field} (or ${alias}) is required: a currency code`)
    if (this.isAbsent(alias)) return this.currency(field)
    if (this.isAbsent(field)) return this.currency(alias)
    const full = this.currency(field)
    const short = this.currency(alias)
    if (full !== null && short !== null && full !== short)
      return this.#fault(`${field} and ${alias} differ; give one of them, or the same code twice`)
    return full ?? short
  }

  #value(field: string): unknown {
    return (Object.hasOwn(this.row, field) ? this.row[field] : null) ?? null
  }

  #fault(sentence: string): null {
    this.faults.push(sentence)
    return null
  }
}

/** Turns only a number into text: an object sent by a caller may have a `toString` of its own. */
const numberText = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : null

function shown(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text.slice(0, ECHO_LENGTH_MAX)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return JSON.stringify(value.slice(0, ECHO_LENGTH_MAX))
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
