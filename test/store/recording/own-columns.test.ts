import { beforeAll, expect, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import type { Observation } from '~/domain/observation.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { quoteOf } from '~/service/recording/ingest.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { OWN_COLUMNS } from '~/store/recording/own-columns.ts'
import { MONTH_NAMES } from '~/wire/file/month-file.ts'
import { historyList } from '~/wire/history.ts'
import { readObservationRow } from '~/wire/row/observation.ts'
import type { RateRow } from '~/wire/row/schema.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { FULL_OFFER } from '../../support/offers.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, NOW_MS, stockedDatabase } from '../samples.ts'

type Said<T> = { [K in keyof T]-?: NonNullable<T[K]> }

/** A row with every field, none at its default. */
const ROW: Said<Static<typeof RateRow>> = {
  provider_id: 'official-a',
  rate: 129.5,
  ...{ from: 'GBP', source_currency: 'GBP', to: 'KES', target_currency: 'KES' },
  ...{ fee: 1.5, fee_currency: 'KES', fee_percent: 1.25 },
  notes: 'by telephone',
  evidence: 'derived',
  effective_from: new Date(NOW_MS - 60_000).toISOString(),
  ...{ source_country: 'GB', target_country: 'KE', channel: 'internet', service: 'Express' },
  ...{ pay_in: ['bank_account', 'debit_card'], pay_out: ['mobile_money'] },
  ...{ amount_min: 0.5, amount_max: 1200, delivery_min: 'PT0S', delivery_max: 'PT1H' },
  valid_until: '2030-01-01T00:00:00Z',
  accept_implausible: true,
}

/** What it says. */
const SAID: Said<Observation> = {
  providerId: 'official-a',
  rateType: 'official',
  ...{ from: 'GBP', to: 'KES', rate: '129.5', fee: '1.5', feeCurrency: 'KES' },
  notes: 'by telephone',
  evidence: 'derived',
  effectiveMs: NOW_MS - 60_000,
  offer: FULL_OFFER,
}

const newDatabase = databasesOfFile(stockedDatabase)
let database: FreshDatabase
let id: number

beforeAll(async () => {
  database = await newDatabase()
  const origin = { recorder: null, via: 'api' }
  const batch = { observations: [SAID], origin, idempotency: null }
  const result = await createObservationStore(database).record(batch)
  id = result.kind === 'recorded' ? result.ids[0]! : 0
})

test('a row with every field is read whole', () => {
  const catalogue = new CatalogueIndex({ currencies: CURRENCIES, providers: PROVIDERS })
  const rules = { catalogue, nowMs: NOW_MS, defaultEffectiveMs: NOW_MS }
  expect(readObservationRow(ROW, rules)).toEqual({
    observation: SAID,
    faults: null,
    isAccepted: true,
  })
})

test('an observation that says everything is recorded with a value in each column', async () => {
  const [row] = await database.sql`select * from observations where id = ${id}`
  expect(Object.keys(row!).filter((name) => row![name] === null)).toEqual(['recorded_by'])
})

test('a quote of what was recorded just now is the one that a restart loads', async () => {
  const loaded = await createQuoteStore(database).byIds([id], null)
  expect(loaded).toEqual([quoteOf(SAID, id)])
})

test('history and the monthly files show the same columns of an observation', () => {
  const months = new Set<string>(MONTH_NAMES)
  const history = new Set(historyList.columns.map(({ name }) => name))
  const own = OWN_COLUMNS.map(({ name }) => name)
  const inHistory = own.filter((name) => history.has(name))
  expect(inHistory).toContain('notes')
  expect(own.filter((name) => months.has(name))).toEqual(inHistory)
})
