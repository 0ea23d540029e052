import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { type Prices, pricesOf } from '~/connector/prices.ts'
import { type Connector, hostOf } from '~/connector/schema.ts'
import { ServiceError } from '~/domain/errors.ts'
import { failed, succeeded } from '~/domain/feed/attempts.ts'
import { type ConnectorRecord, type Seen, untriedConnector } from '~/domain/feed/connector.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Observation, RowFault } from '~/domain/observation.ts'
import { offerId } from '~/domain/offer/id.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { catalogueOf } from '~/file/catalogue.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import { quoteOf } from '~/service/recording/ingest.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import type { Imported } from '~/store/transfer/observation-import.ts'
import { agentOf } from './agent.ts'
import { rowRules } from './row-rules.ts'
import type { Pace } from './stopping.ts'

export type ConnectorDeps = {
  readonly config: Config
  readonly clock: Clock
  readonly database: Database
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pace: Pace
  readonly folder: string
  addEntries(entries: Catalogue): Promise<unknown>
  /** Records all rows or none; `via` says by which connector they came. */
  record(rows: readonly Observation[], via: string): Promise<Imported>
}

type Wish = {
  /** Says whether nothing is recorded. */
  readonly isDry: boolean
  /** Says whether readable rows are recorded even if a rule refuses the run. */
  readonly accepts: boolean
  /** Says whether the run is still due, now that no other process runs it. */
  isDue?(record: ConnectorRecord): boolean
}

export type ConnectorReport = {
  readonly record: ConnectorRecord
  /** Null if the source could not be asked or read. */
  readonly prices: Prices | null
  readonly inserted: number
  /** The number of rows that were recorded before. */
  readonly skipped: number
  /** The reason why nothing was recorded; null if something may have been. */
  readonly error: FeedError | null
}

/**
 * Queries a connector and records its prices, all of a run or none, and the outcome; null while
 * another process queries its host, or if the run is not due any more.
 */
export function runConnector(
  deps: ConnectorDeps,
  connector: Connector,
  wish: Wish,
): Promise<ConnectorReport | null> {
  const store = createConnectorStore(deps.database)
  return store.once(hostOf(connector) ?? connector.name, async () => {
    const [known] = await store.load([connector.name])
    const before = { ...untriedConnector(connector.name), ...known }
    if (wish.isDue && !wish.isDue(before)) return null
    const seen = await store.seen(connector.name)
    const added = await lacking(deps, connector)
    const found = await read(deps, connector, { wish, before, seen, added })
    const { prices } = found
    const counts = { inserted: 0, skipped: 0 }
    let { error } = found
    if (!error && !wish.isDry && prices!.rows.length > 0)
      try {
        Object.assign(counts, await recordNew(deps, connector, { rows: prices!.rows, added }))
      } catch (thrown) {
        error = unrecordable(thrown)
      }
    const record = recordAfter(before, { prices, error, ...counts }, deps.clock.now())
    if (!wish.isDry) await store.save(record, error || !prices ? seen : prices.seen)
    return { record, prices, error, ...counts }
  })
}

async function lacking({ database }: ConnectorDeps, { catalogue }: Connector): Promise<Catalogue> {
  const { currencies, providers } = catalogueOf(catalogue ?? {})
  if (currencies.length + providers.length === 0) return { currencies, providers }
  const known = await createCatalogueStore(database).load()
  return {
    currencies: currencies.filter((one) => known.currencies.every(({ code }) => code !== one.code)),
    providers: providers.filter((one) => known.providers.every(({ id }) => id !== one.id)),
  }
}

type NewRows = { readonly rows: readonly Observation[]; readonly added: Catalogue }

/**
 * Records the rows that a run which ended before it could remember them did not record, and first
 * the entries of the catalogue that they need.
 */
async function recordNew(deps: ConnectorDeps, { name }: Connector, { rows, added }: NewRows) {
  const via = `connector:${name}`
  const times = rows.map(({ effectiveMs }) => effectiveMs)
  const span = { fromMs: Math.min(...times), beforeMs: Math.max(...times) + 1 }
  const providers = [...new Set(rows.map(({ providerId }) => providerId))]
  if (added.currencies.length + added.providers.length > 0) await deps.addEntries(added)
  const there = await createQuoteStore(deps.database).recordedVia(via, providers, span)
  const known = new Set(there.map(priceKey))
  const fresh = rows.filter((row) => !known.has(priceKey(quoteOf(row, 0))))
  const { inserted, skipped } =
    fresh.length > 0 ? await deps.record(fresh, via) : { inserted: 0, skipped: 0 }
  return { inserted, skipped: skipped + rows.length - fresh.length }
}

/** The failure of a run whose rows together break a rule. Throws any other error. */
function unrecordable(error: unknown): FeedError {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_rows') throw error
  const [first] = error.details.errors as readonly RowFault[]
  return new FeedError('implausible', `gives a price that cannot be recorded: ${first!.error}`)
}

/** A string that is equal for two quotes if, and only if, an import counts them as one. */
function priceKey(quote: Quote): string {
  const { atMs, rate, fee, feeCurrency, evidence, offer } = quote
  const { feePercent, deliveryMinMs, deliveryMaxMs, validUntilMs } = offer ?? PLAIN
  const terms = [feePercent, deliveryMinMs, deliveryMaxMs, validUntilMs]
  return [offerId(quote), atMs, rate, fee, feeCurrency, evidence, ...terms].join()
}

type Beginning = {
  readonly wish: Wish
  readonly before: ConnectorRecord
  readonly seen: Seen
  readonly added: Catalogue
}

async function read(deps: ConnectorDeps, connector: Connector, beginning: Beginning) {
  const { config, clock, database, env, pace, folder } = deps
  const { wish, before, seen, added } = beginning
  const outer = {
    fetcher: { clock, ...pace },
    allowed: allowedPlaces(config.connectorsAllow),
    ...{ env, folder, seen: new Set(seen.files), agent: agentOf(config) },
  }
  let prices: Prices | null = null
  try {
    const circumstances = { acceptsAll: false, nowMs: clock.now(), added }
    const rules = await rowRules(config, database, circumstances)
    prices = await pricesOf(connector, outer, { rules, usualRows: before.rows, seen })
    const { refusal, excerpt, read, faults } = prices
    const isAccepted = wish.accepts && read.length > faults.length
    const error = refusal && !isAccepted ? new FeedError('implausible', refusal, { excerpt }) : null
    return { prices, error }
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    return { prices, error }
  }
}

type Outcome = Omit<ConnectorReport, 'record'>

function recordAfter(
  before: ConnectorRecord,
  { prices, error, inserted }: Outcome,
  nowMs: number,
): ConnectorRecord {
  const { failures } = before
  const failedBy = (one: FeedError) => ({
    ...{ ...failed(one, nowMs), failures: failures + 1, excerpt: one.excerpt },
  })
  if (error) return { ...before, ...failedBy(error) }
  const good = { ...before, ...succeeded(nowMs), failures: 0 }
  if (!prices || prices.read.length === 0) return good
  const { faults, usualRows, excerpt, unread } = prices
  const ran = { ...good, rows: usualRows, recorded: inserted, refused: faults.length, excerpt }
  return unread ? { ...ran, ...failedBy(unread) } : ran
}
