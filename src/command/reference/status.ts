import type { Support } from '~/domain/feed/consensus.ts'
import type { FeedRecord, FeedState } from '~/domain/feed/state.ts'
import { noState } from '~/domain/feed/state.ts'
import type { HeldBack } from '~/domain/feed/verdict.ts'
import { atSomeTime, type Reference } from '~/domain/mid.ts'
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import { roundAmount } from '~/domain/round.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { ReferenceIndex } from '~/memory/reference-index.ts'
import { doubtfulPegsOf } from '~/service/doubtful.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { presentDoubtfulPeg } from '~/wire/status/status.ts'
import { tableLines } from '../table.ts'

type FeedStanding = { readonly id: string; readonly record: FeedRecord | null }

type CurrencyStanding = {
  readonly currency: string
  readonly reference: Reference | null
  readonly held: HeldBack | null
  /** Null for a pegged currency, and before a run in the mode `consensus`. */
  readonly support: Support | null
}

type FeedStatus = {
  readonly state: FeedState
  /** The configured feeds in their order. */
  readonly feeds: readonly FeedStanding[]
  /** The active fiat currencies except the dollar, in the catalogue's order. */
  readonly currencies: readonly CurrencyStanding[]
  readonly doubtfulPegs: readonly DoubtfulPeg[]
}

/** The state of the configured feeds and the current rate of each currency, from the database. */
export async function feedStatusOf(
  database: Database,
  { feeds, nowMs }: { feeds: readonly { readonly id: string }[]; nowMs: number },
): Promise<FeedStatus> {
  const [catalogue, references, saved] = await Promise.all([
    createCatalogueStore(database).load(),
    createReferenceStore(database).live(nowMs),
    createFeedStateStore(database).load(),
  ])
  const state = saved ?? noState
  const index = new CatalogueIndex(catalogue)
  const known = ReferenceIndex.empty.with(references, nowMs).anchored(index.anchors)
  return {
    state,
    feeds: feeds.map(({ id }) => ({
      id,
      record: state.feeds.find((record) => record.id === id) ?? null,
    })),
    currencies: index.referenceCodes.map((code) => {
      const reference = known.reference(code, Number.POSITIVE_INFINITY)
      return {
        currency: code,
        reference: reference ? atSomeTime(reference, nowMs) : null,
        held: state.held.find(({ currency }) => currency === code) ?? null,
        support: reference?.source.startsWith('peg:')
          ? null
          : (state.support?.find(({ currency }) => currency === code) ?? null),
      }
    }),
    doubtfulPegs: doubtfulPegsOf({ catalogue: index, references: known }),
  }
}

/** The output of `reference status --json`. */
export const presentFeedStatus = (
  { state, feeds, currencies, doubtfulPegs }: FeedStatus,
  nowMs: number,
) => ({
  last_run: iso(state.ranMs),
  served_by: state.served,
  feeds: feeds.map(({ id, record }) => ({
    name: id,
    is_failing: record?.isFailing ?? false,
    last_success: iso(record?.succeededMs),
    age_seconds: secondsSince(record?.succeededMs, nowMs),
    upstream_at: iso(record?.upstreamMs),
    currencies: record?.currencies ?? 0,
    last_error: record?.failedMs
      ? { at: iso(record.failedMs), fault: record.fault, reason: record.message }
      : null,
    not_before: iso(record?.waitUntilMs),
  })),
  currencies: currencies.map(({ currency, reference, held, support }) => ({
    currency,
    per_usd: reference ? roundAmount(reference.perUsd) : null,
    source: reference?.source ?? null,
    fetched_at: iso(reference?.atMs),
    age_seconds: secondsSince(reference?.atMs, nowMs),
    basis: basisOf(reference, support),
    dispersion_bps: support?.dispersionBps == null ? null : roundBps(support.dispersionBps),
    not_used:
      support?.left.map(({ source, perUsd }) => ({ source, per_usd: Number(perUsd) })) ?? [],
    held_back: held && {
      per_usd: Number(held.perUsd),
      source: held.source,
      since: iso(held.sinceMs),
      contradicted_by: held.contradictedBy,
    },
  })),
  doubtful_pegs: doubtfulPegs.map(presentDoubtfulPeg),
})

/** The status as two tables for a person, and the pegs that feeds contradict. */
export function statusLines(status: FeedStatus, nowMs: number): string[] {
  const { state, feeds, currencies, doubtfulPegs } = status
  const feedRows = feeds.map(({ id, record }) => [
    id === state.served ? `${id} *` : id,
    stateOf(record),
    ageOf(record?.succeededMs, nowMs),
    record?.message ? `${ageOf(record.failedMs, nowMs)}: ${record.message}` : '-',
  ])
  const currencyRows = currencies.map(({ currency, reference, held, support }) => [
    currency,
    reference ? String(roundAmount(reference.perUsd)) : '-',
    reference?.source ?? '-',
    ageOf(reference?.atMs, nowMs),
    supportText(reference, support),
    held ? `held back: ${held.perUsd} from ${held.source} since ${iso(held.sinceMs)}` : '',
  ])
  return [
    `last run: ${iso(state.ranMs) ?? 'none yet'} (* served last)`,
    ...tableLines([['feed', 'state', 'last success', 'last error'], ...feedRows]),
    '',
    ...tableLines([['currency', 'per USD', 'source', 'age', 'basis', ''], ...currencyRows]),
    ...(doubtfulPegs.length > 0 ? ['', ...doubtfulPegs.map(doubtLine)] : []),
  ]
}

function basisOf(reference: Reference | null, support: Support | null): string | null {
  if (reference?.source.startsWith('peg:')) return 'peg'
  return support?.basis ?? null
}

function supportText(reference: Reference | null, support: Support | null): string {
  const { dispersionBps = null, left = [] } = support ?? {}
  const spread = dispersionBps === null ? '' : ` within ${roundBps(dispersionBps)} bps`
  const others = left.map(({ source, perUsd }) => `${source} says ${perUsd}`).join(', ')
  const basis = `${basisOf(reference, support) ?? '-'}${spread}`
  return others ? `${basis}; not used: ${others}` : basis
}

const roundBps = (bps: number): number => Number(bps.toFixed(1))

const doubtLine = (doubt: DoubtfulPeg): string => {
  const { currency, peg, said, off_pct, source, fetched_at } = presentDoubtfulPeg(doubt)
  return (
    `doubtful peg: ${currency} is pegged at ${peg.rate} to ${peg.to}, and ${source} said ${said} ` +
    `(${off_pct} % off) at ${fetched_at}`
  )
}

function stateOf(record: FeedRecord | null): string {
  if (!record?.triedMs) return 'not queried yet'
  return record.isFailing ? 'failing' : 'works'
}

const iso = (ms: number | null | undefined): string | null =>
  ms ? new Date(ms).toISOString() : null

const secondsSince = (ms: number | null | undefined, nowMs: number): number | null =>
  ms ? Math.max(0, Math.floor((nowMs - ms) / 1000)) : null

function ageOf(ms: number | null | undefined, nowMs: number): string {
  const seconds = secondsSince(ms, nowMs)
  if (seconds === null) return 'never'
  if (seconds < 120) return `${seconds} s ago`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`
}
