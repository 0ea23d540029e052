import { currencyCode } from '~/domain/currency.ts'
import { isBetween } from '~/domain/decimal.ts'
import {
  BACKFILL_YEARS_MAX,
  backfillStartMs,
  FEE_MAX,
  NOTES_LENGTH_MAX,
  type Observation,
  RATE_MAX,
  RATE_MIN,
  SIGNIFICANT_DIGITS_MAX,
} from '~/domain/observation.ts'
import { type Offer, PLAIN } from '~/domain/offer/terms.ts'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { offerOfRow } from './offer.ts'
import { RowValues, shown, WrittenNumber } from './values.ts'

export type RowRules = {
  readonly catalogue: CatalogueIndex
  readonly nowMs: number
  /** The `effective_from` of a row that has none. */
  readonly defaultEffectiveMs: number
}

export type RowReading =
  | {
      readonly observation: Observation
      readonly faults: null
      /** Set if the sender accepts that the rate is implausible. */
      readonly isAccepted?: true
    }
  | { readonly observation: null; readonly faults: readonly string[] }

/**
 * One row of `POST /rates` or of an import file, checked against every rule.
 *
 * Returns either the observation or all of the row's errors, each a sentence that names its field.
 * Optional fields may be null; unknown ones are ignored.
 */
export function readObservationRow(row: unknown, rules: RowRules): RowReading {
  if (typeof row !== 'object' || row === null || Array.isArray(row) || row instanceof WrittenNumber)
    return { observation: null, faults: ['a row must be a JSON object'] }
  const values = new RowValues(row as Record<string, unknown>)
  const reader = new RowReader(values, rules)
  const provider = reader.provider()
  const [from, to] = reader.corridor()
  const rate = reader.decimal('rate', { min: RATE_MIN, max: RATE_MAX })
  if (values.isAbsent('rate')) values.fault('rate is required: a number above 0')
  const fee = reader.decimal('fee', { min: 0, max: FEE_MAX })
  const feeCurrency = reader.currency('fee_currency')
  const notes = reader.notes()
  const evidence = values.word('evidence', EVIDENCE) ?? 'observed'
  const isAccepted = values.flag('accept_implausible')
  const effectiveMs = reader.effectiveMs()
  const offer = offerOfRow(values, effectiveMs)
  if (from !== null && from === to) reader.twoCountries(from, offer ?? PLAIN)
  if (values.faults.length > 0) return { observation: null, faults: values.faults }
  const hasFee = fee !== null || (offer ?? PLAIN).feePercent !== null
  const observation = {
    providerId: provider!.id,
    rateType: provider!.rateType,
    from: from!,
    to: to!,
    rate: rate!,
    fee,
    feeCurrency: feeCurrency ?? (hasFee ? from! : null),
    effectiveMs: effectiveMs!,
    notes,
    evidence,
    offer,
  }
  return isAccepted ? { observation, faults: null, isAccepted } : { observation, faults: null }
}

class RowReader {
  constructor(
    private readonly row: RowValues,
    private readonly rules: RowRules,
  ) {}

  provider() {
    const id = this.row.of('provider_id')
    if (id === null) return this.row.fault('provider_id is required: an active id of /providers')
    const provider = typeof id === 'string' ? this.rules.catalogue.provider(id) : undefined
    return provider ?? this.row.fault(`provider_id ${shown(id)} is not an active id of /providers`)
  }

  corridor(): [string | null, string | null] {
    return [this.#side('source_currency', 'from'), this.#side('target_currency', 'to')]
  }

  currency(field: string): string | null {
    const text = this.row.of(field)
    if (text === null) return null
    const code = typeof text === 'string' ? this.#code(text) : null
    if (code !== null && this.rules.catalogue.currency(code)) return code
    return this.row.fault(`${field} ${shown(text)} is not a supported currency code`)
  }

  decimal(field: string, { min, max }: { min: number; max: number }): string | null {
    const text = this.row.numeral(field)
    if (text === null) return null
    if (!isBetween(text, { min, max }))
      return this.row.fault(
        `${field} must be between ${min} and ${max}, not ${shown(this.row.of(field))}`,
      )
    return this.row.isShort(field, text, SIGNIFICANT_DIGITS_MAX) ? text : null
  }

  notes(): string | null {
    const notes = this.row.text('notes')
    if (notes !== null && [...notes].length > NOTES_LENGTH_MAX)
      return this.row.fault(`notes must have at most ${NOTES_LENGTH_MAX} characters`)
    return notes
  }

  effectiveMs(): number | null {
    if (this.row.isAbsent('effective_from')) return this.rules.defaultEffectiveMs
    const ms = this.row.instant('effective_from')
    if (ms === null) return null
    if (ms > this.rules.nowMs) this.row.fault('effective_from must not be in the future')
    else if (ms < backfillStartMs(this.rules.nowMs))
      this.row.fault(`effective_from must not be more than ${BACKFILL_YEARS_MAX} years back`)
    return ms
  }

  twoCountries(currency: string, { sourceCountry, targetCountry }: Offer): void {
    const isNamed = ['source_country', 'target_country'].every((name) => !this.row.isAbsent(name))
    if (isNamed && sourceCountry !== targetCountry) return
    this.row.fault(
      `source and target currency are both ${currency}; a corridor needs two, ` +
        'unless source_country and target_country are given and differ',
    )
  }

  #code(text: string): string | null {
    return this.rules.catalogue.currency(text) ? text : currencyCode(text)
  }

  /** A side of the corridor by its full name or its alias; if both are given they must agree. */
  #side(field: string, alias: string): string | null {
    const { row } = this
    if (row.isAbsent(field) && row.isAbsent(alias))
      return row.fault(`${field} (or ${alias}) is required: a currency code`)
    const full = this.currency(field)
    const short = this.currency(alias)
    if (full !== null && short !== null && full !== short)
      return row.fault(`${field} and ${alias} differ; give one of them, or the same code twice`)
    return full ?? short
  }
}
