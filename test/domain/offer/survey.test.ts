import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'csv-parse/sync'
import { type CostCandidate, costsOf } from '~/domain/offer/costs.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { Channel, PayWay } from '~/domain/offer/terms.ts'
import { offered } from '../../support/offers.ts'

/** The survey itself, which lies beside the project where it is built and not in what is shipped. */
const INPUT = resolve(import.meta.dir, '../../../../shared/data')
const AMOUNT_USD = 200
/** How far a mean may lie from the published one, which has two decimals. */
const PCT_OFF_MAX = 0.01

type PriceRow = {
  source_country: string
  target_country: string
  provider: string
  instrument: string
  access_point: string
  amount_usd: string
  fee_pct: string
  fx_margin_pct: string
}
type PairRow = {
  source_country: string
  target_country: string
  ranked_quotes_200: string
  avg_cost_pct_200: string
}
type MidRow = { date: string; currency: string; per_usd: string }

const PAY_IN: Readonly<Record<string, PayWay>> = {
  'Bank account transfer': 'bank_account',
  'Debit card': 'debit_card',
  'Credit card': 'credit_card',
  Cash: 'cash',
  'Mobile money': 'mobile_money',
}
const CHANNEL: Readonly<Record<string, Channel>> = {
  Internet: 'internet',
  Agent: 'agent',
  'Bank branch': 'bank_branch',
  'Call Center': 'call_center',
  'Mobile phone': 'mobile_phone',
  'Post Office branch': 'post_office',
}

const rowsOf = <T>(name: string): T[] => parse(readFileSync(join(INPUT, name)), { columns: true })

const pairOf = (row: PriceRow | PairRow) => `${row.source_country}-${row.target_country}`

/** What a dollar is worth by the newest row of each currency. */
function dollarsWorth(): Map<string, number> {
  const rows = rowsOf<MidRow>('reference_currency_api.csv')
  const worth = new Map([['USD', 1]])
  for (const row of rows.sort((a, b) => (a.date < b.date ? -1 : 1)))
    worth.set(row.currency, Number(row.per_usd))
  return worth
}

/** The prices as the sample lays them out: an offer for one amount in the source currency each. */
function surveyed(worth: ReadonlyMap<string, number>): Map<string, CostCandidate[]> {
  const pairs = new Map<string, CostCandidate[]>()
  const seen = new Map<string, number>()
  let id = 0
  for (const row of rowsOf<PriceRow>('rpw_2025q3.csv')) {
    const { source_country, target_country, provider, instrument, access_point } = row
    const [from, to] = [source_country, target_country].map(currencyOf) as [string, string]
    const perUsd = worth.get(from)!
    const amount = Number((Number(row.amount_usd) * perUsd).toPrecision(2))
    const rate = worth.get(to)! / perUsd
    const terms = [pairOf(row), provider, instrument, access_point, row.amount_usd].join()
    const place = (seen.get(terms) ?? 0) + 1
    seen.set(terms, place)
    const said = {
      ...{ sourceCountry: source_country, targetCountry: target_country },
      ...{ payIn: [PAY_IN[instrument]!], channel: CHANNEL[access_point]! },
      ...{ amountMin: amount, amountMax: amount },
      service: place === 1 ? null : `Option ${place}`,
    }
    const quote = offered(said, {
      ...{ id: ++id, providerId: provider, from, to, feeCurrency: from },
      rate: rate * (1 - Number(row.fx_margin_pct) / 100),
      fee: (Number(row.fee_pct) / 100) * amount,
    })
    const candidate = { quote, isStale: false, midAtQuote: { rate }, feeMidAtQuote: null }
    pairs.set(pairOf(row), [...(pairs.get(pairOf(row)) ?? []), candidate])
  }
  return pairs
}

const currencyOf = (country: string): string => COUNTRIES.get(country)!.currencies[0]!

describe('the survey of the World Bank', () => {
  test('in all 85 pairs the mean by these rules is the published one', () => {
    if (!existsSync(INPUT)) return
    const worth = dollarsWorth()
    const pairs = surveyed(worth)
    const published = rowsOf<PairRow>('rpw_2025q3_pairs.csv')
    expect(published.length).toBe(85)
    const wrong: string[] = []
    for (const row of published) {
      const { source_country: sourceCountry, target_country: targetCountry } = row
      const amount = AMOUNT_USD * worth.get(currencyOf(sourceCountry))!
      const ask = { sourceCountry, targetCountry, amount }
      const { offers, averagePct, smart } = costsOf(pairs.get(pairOf(row))!, ask)
      const off = Math.abs(averagePct! - Number(row.avg_cost_pct_200))
      const line = [
        pairOf(row),
        `${offers.length} of ${row.ranked_quotes_200}`,
        `mean ${averagePct!.toFixed(4)} published ${row.avg_cost_pct_200}`,
        `smart ${smart?.pct.toFixed(2) ?? 'none'}`,
      ].join('  ')
      console.log(line)
      const isRight = off <= PCT_OFF_MAX && offers.length === Number(row.ranked_quotes_200)
      if (!isRight) wrong.push(line)
    }
    expect(wrong).toEqual([])
  })
})
