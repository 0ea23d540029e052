import { providerIdOf } from './providers.ts'
import {
  compareText,
  type OfficialRow,
  plainCsvLine,
  type SourceRows,
  type SurveyRow,
} from './rows.ts'

/** The columns of `observations.csv.gz`, which are those the importer reads. */
export const OBSERVATION_HEADER =
  'provider_id,from,to,rate,fee,fee_currency,effective_from,notes' as const

const PAYMENT_ORDER = ['Cash', 'Credit card', 'Debit card', 'Mobile money', 'Bank account transfer']
const PICKUP_ORDER = ['Cash', 'Mobile wallet', 'Bank account']

type Placed = { date: string; corridor: string; sendAmount: number; rank: number; line: string }

/**
 * Every quote as a line of CSV, oldest first; rates and fees are the digits of the source.
 *
 * Rows that share provider, corridor and day differ by amount or by way of paying. The last
 * recorded counts as the latest, so the most typical stands last: the smaller amount (the survey
 * prices the local worth of about USD 200 and USD 500), then pay-in by bank over mobile money over
 * cards over cash, then pay-out to an account over a wallet over cash. Equals keep their order.
 */
export function observationLines({ survey, official }: SourceRows): string[] {
  const placed = [...survey.map(placedSurvey), ...official.map(placedOfficial)]
  placed.sort(
    (a, b) =>
      compareText(a.date, b.date) ||
      compareText(a.corridor, b.corridor) ||
      b.sendAmount - a.sendAmount ||
      a.rank - b.rank,
  )
  return placed.map(({ line }) => line)
}

function placedSurvey(row: SurveyRow): Placed {
  const { rate, fee, fee_currency } = row
  return {
    ...placeOf(row),
    sendAmount: Number(row.send_amount),
    rank: rankOf(row),
    line: line(row, { rate, fee, feeCurrency: fee_currency, notes: surveyNotes(row) }),
  }
}

function placedOfficial(row: OfficialRow): Placed {
  const quote = { rate: row.rate, fee: '', feeCurrency: '', notes: row.note }
  return { ...placeOf(row), sendAmount: 0, rank: 0, line: line(row, quote) }
}

function rankOf({ payment, pickup }: SurveyRow): number {
  const paymentRank = Math.max(...payment.split(',').map((way) => PAYMENT_ORDER.indexOf(way)))
  const pickupRank = PICKUP_ORDER.findLastIndex((way) => pickup.endsWith(way))
  if (paymentRank < 0 || pickup === '') throw new Error(`unknown way to pay: ${payment}, ${pickup}`)
  return paymentRank * PICKUP_ORDER.length + pickupRank
}

type Origin = { provider_name: string; from: string; to: string; date: string }
type Quote = { rate: string; fee: string; feeCurrency: string; notes: string }

const placeOf = ({ provider_name, from, to, date }: Origin) => ({
  date,
  corridor: `${providerIdOf(provider_name)} ${from} ${to}`,
})

function line({ provider_name, from, to, date }: Origin, quote: Quote): string {
  const { rate, fee, feeCurrency, notes } = quote
  const id = providerIdOf(provider_name)
  return plainCsvLine([id, from, to, rate, fee, feeCurrency, `${date}T00:00:00Z`, notes])
}

function surveyNotes(row: SurveyRow): string {
  const notes = [
    `send ${row.send_amount} ${row.from}`,
    `pay-in: ${row.payment.toLowerCase().replaceAll(',', ' or ')}`,
    `pay-out: ${row.pickup.toLowerCase()}`,
  ]
  if (row.delivery !== '') notes.push(`delivery: ${row.delivery.toLowerCase()}`)
  if (row.rate_derived === 'true') notes.push('rate derived from mid and margin')
  return notes.join('; ')
}
