import { compareText } from '~/domain/rank.ts'
import { BANKS } from '~/source/banks.ts'
import { isObserved } from './left-out.ts'
import type { OfficialPrice } from './official.ts'
import { providerIdOf } from './providers.ts'
import { plainCsvLine, type QuarterRow } from './rows.ts'
import type { SurveyPrice } from './survey.ts'

/** The columns of `observations.csv.gz`, which are those the importer reads. */
export const OBSERVATION_HEADER =
  'provider_id,from,to,rate,fee,fee_currency,effective_from,notes,evidence,' +
  'source_country,target_country,pay_in,channel,amount_min,amount_max,service'

/** The survey's words for how the sender pays, and where, and those of an offer. */
const PAY_IN: Readonly<Record<string, string>> = {
  'Bank account transfer': 'bank_account',
  Cash: 'cash',
  'Credit card': 'credit_card',
  'Debit card': 'debit_card',
  'Mobile money': 'mobile_money',
}
const CHANNELS: Readonly<Record<string, string>> = {
  Agent: 'agent',
  'Bank branch': 'bank_branch',
  'Call Center': 'call_center',
  Internet: 'internet',
  'Mobile phone': 'mobile_phone',
  'Post Office branch': 'post_office',
}

const PAYMENT_ORDER = ['Cash', 'Credit card', 'Debit card', 'Mobile money', 'Bank account transfer']
const PICKUP_ORDER = ['Cash', 'Mobile wallet', 'Bank account']

type Placed = { at: string; corridor: string; sendAmount: number; rank: number; line: string }

/**
 * Every quote as a line of CSV, oldest first; rates and fees that were observed are the digits of
 * the source, those of the survey are worked out and say `derived`.
 *
 * Each price of the survey is an offer of its own; the others say nothing of an offer.
 *
 * Rows of the quarters that share provider, corridor and day differ by amount or by way of paying.
 * The last recorded counts as the latest, so the most typical stands last: the smaller amount (the
 * local worth of about USD 200 and USD 500), then pay-in by bank over mobile money over cards over
 * cash, then pay-out to an account over a wallet over cash. Equals keep their order.
 */
export function observationLines(of: {
  survey: readonly SurveyPrice[]
  quarters: readonly QuarterRow[]
  official: readonly OfficialPrice[]
}): string[] {
  const placed = [
    ...of.quarters.filter(isObserved).map(placedQuarter),
    ...of.official.map(placedOfficial),
    ...of.survey.map(placedSurvey),
  ]
  placed.sort(
    (a, b) =>
      compareText(a.at, b.at) ||
      compareText(a.corridor, b.corridor) ||
      b.sendAmount - a.sendAmount ||
      a.rank - b.rank,
  )
  return placed.map(({ line }) => line)
}

function placedQuarter(row: QuarterRow): Placed {
  const { rate, fee, fee_currency } = row
  const quote = { rate, fee, feeCurrency: fee_currency, notes: quarterNotes(row) }
  const place = { ...row, provider: providerIdOf(row.provider_name), at: midnight(row.date) }
  return {
    ...placed(place, { ...quote, evidence: 'observed' }),
    sendAmount: Number(row.send_amount),
    rank: rankOf(row),
  }
}

function placedOfficial({ bank, from, to, atMs, ...price }: OfficialPrice): Placed {
  const { rate, evidence, notes } = price
  const at = new Date(atMs).toISOString().replace('.000Z', 'Z')
  const place = { provider: BANKS[bank].provider.id, from, to, at }
  return placed(place, {
    rate,
    evidence,
    fee: '',
    feeCurrency: '',
    notes: notes.replaceAll(',', ';'),
  })
}

function placedSurvey(price: SurveyPrice): Placed {
  const { from, rate, fee } = price
  const quote = { rate: String(rate), fee: String(fee), feeCurrency: from, evidence: 'derived' }
  const notes = surveyNotes(price)
  const place = { ...price, provider: providerIdOf(price.provider), at: midnight(price.day) }
  return placed(place, { ...quote, notes, offer: offerFields(price) })
}

function offerFields(price: SurveyPrice): string[] {
  const { sourceCountry, targetCountry, instrument, accessPoint, place } = price
  const [payIn, channel, amount] = [PAY_IN[instrument], CHANNELS[accessPoint], String(price.amount)]
  if (payIn === undefined || channel === undefined)
    throw new Error(`unknown way to pay: ${instrument}, ${accessPoint}`)
  const service = place === 1 ? '' : `Price ${place}`
  return [sourceCountry, targetCountry, payIn, channel, amount, amount, service]
}

function rankOf({ payment, pickup }: QuarterRow): number {
  const paymentRank = Math.max(...payment.split(',').map((way) => PAYMENT_ORDER.indexOf(way)))
  const pickupRank = PICKUP_ORDER.findLastIndex((way) => pickup.endsWith(way))
  if (paymentRank < 0 || pickup === '') throw new Error(`unknown way to pay: ${payment}, ${pickup}`)
  return paymentRank * PICKUP_ORDER.length + pickupRank
}

type Place = { provider: string; from: string; to: string; at: string }
type Quote = Record<'rate' | 'fee' | 'feeCurrency' | 'notes' | 'evidence', string> & {
  /** The fields of an offer; seven empty ones where nothing is said. */
  offer?: readonly string[]
}
const NO_OFFER = Array<string>(7).fill('')

const midnight = (date: string): string => `${date}T00:00:00Z`

function placed({ provider, from, to, at }: Place, quote: Quote): Placed {
  const { rate, fee, feeCurrency, notes, evidence, offer = NO_OFFER } = quote
  return {
    at,
    corridor: `${provider} ${from} ${to}`,
    sendAmount: 0,
    rank: 0,
    line: plainCsvLine([provider, from, to, rate, fee, feeCurrency, at, notes, evidence, ...offer]),
  }
}

function quarterNotes(row: QuarterRow): string {
  const notes = [
    `send ${row.send_amount} ${row.from}`,
    `pay-in: ${row.payment.toLowerCase().replaceAll(',', ' or ')}`,
    `pay-out: ${row.pickup.toLowerCase()}`,
  ]
  if (row.delivery !== '') notes.push(`delivery: ${row.delivery.toLowerCase()}`)
  return notes.join('; ')
}

const surveyNotes = ({ feePct, marginPct, amountUsd }: SurveyPrice): string =>
  `World Bank survey of 2025 Q3: fee ${feePct} % and margin ${marginPct} % of ${amountUsd} USD`
