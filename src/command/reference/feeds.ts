import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { trustingRules } from '~/domain/feed/guard.ts'
import { createFeeds } from '~/feed/feeds.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { type RunOutcome, summaryOf } from '~/jobs/feed-records.ts'
import { failuresOf, fetchReferences } from '~/jobs/fetch-references.ts'
import { createLog } from '~/log.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { feedStoreOf } from '~/runtime/upstream/feeds.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { CommandFailure, configOf, printResult, type Terminal, withExisting } from '../terminal.ts'
import { feedStatusOf, presentFeedStatus, statusLines } from './status.ts'

type Options = { json?: boolean; accept?: boolean }

export function addReferenceFeeds(reference: Command, terminal: Terminal): void {
  reference
    .command('fetch')
    .description('query the configured feeds now and report their responses in one line')
    .option('--accept', 'accept every move: the rates are right, however far they jumped')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false, accept = false }: Options) => {
      const outcome = await withExisting(terminal, (database) =>
        fetchNow(terminal, database, accept),
      )
      const lines = [summaryOf(outcome)]
      printResult(terminal, { isJson: json, result: presentOutcome(outcome), lines })
    })
  reference
    .command('status')
    .description('the state of each feed, and the source and age of each mid')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: Options) => {
      const nowMs = systemClock.now()
      const status = await withExisting(terminal, (database) =>
        feedStatusOf(database, { feeds: feedsOf(terminal), nowMs }),
      )
      const result = presentFeedStatus(status, nowMs)
      printResult(terminal, { isJson: json, result, lines: statusLines(status, nowMs) })
    })
}

const feedsOf = (terminal: Terminal) =>
  createFeeds(configOf(terminal).feeds, { clock: systemClock, ...systemPace })

async function fetchNow(terminal: Terminal, database: Database, accept: boolean) {
  const { feedMode: mode, feedRules, logFormat } = configOf(terminal)
  const feeds = feedsOf(terminal)
  const { referenceCodes: known } = new CatalogueIndex(await createCatalogueStore(database).load())
  if (feeds.length === 0)
    throw new CommandFailure('no feed is configured; name one in REFERENCE_FEED')
  if (known.length === 0)
    throw new CommandFailure('the catalogue has no fiat currency to ask for: apply one first')
  const outcome = await fetchReferences({
    feeds,
    store: feedStoreOf(database, { publish: () => {}, served: async () => {} }),
    clock: systemClock,
    log: createLog({ level: 'error', format: logFormat }),
    known: () => known,
    mode,
    rules: accept ? trustingRules(feedRules) : feedRules,
  })
  if (outcome === null)
    throw new CommandFailure('another process is querying the feeds; see reference status')
  if (outcome.source === null)
    throw new CommandFailure(`no reference feed returned usable rates: ${failuresOf(outcome)}`)
  return outcome
}

function presentOutcome({ feeds, source, snapshots, held, missing }: RunOutcome) {
  const served = feeds.find(({ result }) => result === 'served')!
  return {
    source,
    fetched_at: iso(served.fetchedMs),
    upstream_at: iso(served.upstreamMs),
    currencies: snapshots.reduce((sum, { rates }) => sum + rates.length, 0),
    held_back: held.map(({ currency }) => currency),
    missing,
    feeds: feeds.map(({ id, result, currencies, fault, message }) => ({
      name: id,
      result,
      currencies,
      fault,
      reason: message,
    })),
  }
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
