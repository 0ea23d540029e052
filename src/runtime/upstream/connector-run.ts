import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { Connector } from '~/connector/definition.ts'
import { type Prices, pricesOf } from '~/connector/prices.ts'
import { failed, succeeded } from '~/domain/feed/attempts.ts'
import { type ConnectorRecord, type Seen, untriedConnector } from '~/domain/feed/connector.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Observation } from '~/domain/observation.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import type { Database } from '~/store/database.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import type { Imported } from '~/store/transfer/observation-import.ts'
import { version } from '../../../package.json'
import { rowRules } from './row-rules.ts'
import type { Pace } from './stopping.ts'

export type ConnectorDeps = {
  readonly config: Config
  readonly clock: Clock
  readonly database: Database
  /** Where secrets are found by their names. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pace: Pace
  readonly folder: string
  /** Records all rows or none; `via` says by which connector they came. */
  record(rows: readonly Observation[], via: string): Promise<Imported>
}

type Wish = {
  /** Whether nothing is recorded. */
  readonly isDry: boolean
  /** Whether what can be read is recorded even where a rule refuses the run. */
  readonly accepts: boolean
  /** Whether the run is still wanted, now that nobody else is at it. */
  isDue?(record: ConnectorRecord): boolean
}

/** How a run went. */
export type ConnectorReport = {
  readonly record: ConnectorRecord
  /** Null where the source could not be asked or read. */
  readonly prices: Prices | null
  readonly inserted: number
  readonly skipped: number
  /** Why nothing was recorded; null where something may have been. */
  readonly error: FeedError | null
}

/**
 * Asks a connector and records its prices, all of a run or none, and how that went; null while
 * another process does, or where the run is not due any more.
 */
export function runConnector(
  deps: ConnectorDeps,
  connector: Connector,
  wish: Wish,
): Promise<ConnectorReport | null> {
  const store = createConnectorStore(deps.database)
  return store.once(connector.name, async () => {
    const [known] = await store.load([connector.name])
    const before = known ?? untriedConnector(connector.name)
    if (wish.isDue && !wish.isDue(before)) return null
    const seen = await store.seen(connector.name)
    const { prices, error } = await read(deps, connector, { wish, before, seen })
    const counts = { inserted: 0, skipped: 0 }
    if (!error && !wish.isDry && prices!.rows.length > 0)
      Object.assign(counts, await deps.record(prices!.rows, `connector:${connector.name}`))
    const record = recordAfter(before, { prices, error, ...counts }, deps.clock.now())
    if (!wish.isDry) await store.save(record, error || !prices ? seen : prices.seen)
    return { record, prices, error, ...counts }
  })
}

type Beginning = { readonly wish: Wish; readonly before: ConnectorRecord; readonly seen: Seen }

async function read(deps: ConnectorDeps, connector: Connector, beginning: Beginning) {
  const { config, clock, database, env, pace, folder } = deps
  const { wish, before, seen } = beginning
  const { publicUrl } = config
  const outer = {
    fetcher: { clock, ...pace },
    allowed: allowedPlaces(config.connectorsAllow),
    ...{ env, folder, seen: new Set(seen.files) },
    agent: `corridor/${version}${publicUrl === null ? '' : ` (+${publicUrl})`}`,
  }
  let prices: Prices | null = null
  try {
    const rules = await rowRules(config, database, { acceptsAll: false, nowMs: clock.now() })
    prices = await pricesOf(connector, outer, { rules, usualRows: before.rows, seen })
    const isAccepted = wish.accepts && prices.read > 0 && prices.read > prices.faults.length
    const { refusal } = prices
    const error = refusal && !isAccepted ? new FeedError('implausible', refusal) : null
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
  if (error) return { ...before, ...failed(error, nowMs), excerpt: error.excerpt }
  const good = { ...before, ...succeeded(nowMs), excerpt: null }
  if (!prices || prices.read === 0) return good
  const refused = prices.faults.length
  return { ...good, rows: prices.usualRows, recorded: inserted, refused }
}
