import { currencyOf } from './countries.ts'
import type { Mids } from './mids.ts'
import { providerIdOf } from './providers.ts'
import type { SurveyRow } from './rows.ts'

/** One price of the survey in money of one day: its percentages on the mid of that day. */
export type SurveyPrice = {
  provider: string
  sourceCountry: string
  targetCountry: string
  from: string
  to: string
  /** Way and place of paying, in the survey's words. */
  instrument: string
  accessPoint: string
  amountUsd: number
  /** The equivalent of `amountUsd` in the source currency. */
  amount: number
  feePct: number
  marginPct: number
  day: string
  rate: number
  /** In the source currency, for `amount`. */
  fee: number
  /**
   * Which it is of the prices that agree in provider, countries, way of paying, channel and amount,
   * in the survey's order, counted from 1. The extract does not tell what sets them apart.
   */
  place: number
}

/** The number of the last days of the mids over which the survey's providers are spread. */
const SURVEY_DAYS = 2
const AMOUNT_DIGITS = 2
const FEE_DIGITS = 12

/**
 * Every price of the survey, in the survey's order, dated to one of the last two days of the mids.
 *
 * The survey tells a quarter, no day and no rate. Providers, in the order of their ids, stand in
 * turn on the last day and on the one before. rate = mid of that day * (1 - margin / 100), not
 * rounded, so that the margin is found again; amount = the worth of its dollars at that mid, to two
 * digits; fee = percent of amount.
 */
export function surveyPrices(rows: readonly SurveyRow[], mids: Mids): SurveyPrice[] {
  const days = surveyDays(mids)
  const ids = [...new Set(rows.map((row) => providerIdOf(row.provider)))].sort()
  const dayOf = new Map(ids.map((id, index) => [id, days[index % days.length]!]))
  const places = new Map<string, number>()
  return rows.map((row) => {
    const offer = offerOf(row)
    const place = (places.get(offer) ?? 0) + 1
    places.set(offer, place)
    return { ...priceOn(dayOf.get(providerIdOf(row.provider))!, row, mids), place }
  })
}

/** All that the survey says of an offer but its price. */
const offerOf = (row: SurveyRow): string =>
  [
    ...[row.provider, row.source_country, row.target_country],
    ...[row.instrument, row.access_point, row.amount_usd],
  ].join('\n')

/** The days that survey prices are dated to, newest first. */
export const surveyDays = (mids: Mids): string[] => mids.days.slice(-SURVEY_DAYS).reverse()

function priceOn(day: string, row: SurveyRow, mids: Mids): Omit<SurveyPrice, 'place'> {
  const from = currencyOf(row.source_country)
  const to = currencyOf(row.target_country)
  const [amountUsd, feePct, marginPct] = [row.amount_usd, row.fee_pct, row.fx_margin_pct].map(
    (text) => {
      if (text.trim() === '' || !Number.isFinite(Number(text)))
        throw new Error(`no number: ${text}`)
      return Number(text)
    },
  ) as [number, number, number]
  const amount = localAmount(amountUsd, mids.on(day, 'USD', from))
  return {
    provider: row.provider,
    sourceCountry: row.source_country,
    targetCountry: row.target_country,
    from,
    to,
    instrument: row.instrument,
    accessPoint: row.access_point,
    amountUsd,
    amount,
    feePct,
    marginPct,
    day,
    rate: mids.on(day, from, to) * (1 - marginPct / 100),
    fee: rounded((feePct * amount) / 100, FEE_DIGITS),
  }
}

/** Amount of `amountUsd` in a currency of which a dollar buys `perUsd`, to two digits. */
const localAmount = (amountUsd: number, perUsd: number): number =>
  rounded(amountUsd * perUsd, AMOUNT_DIGITS)

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits))
