import type { Currency } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { failed, isWaiting, refuseWaiting, succeeded } from '~/domain/feed/attempts.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { dateMsOf } from '~/domain/instant.ts'
import { backfillStartMs, type Observation } from '~/domain/observation.ts'
import { Anchors } from '~/domain/price/anchors.ts'
import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { BankDay, Span } from '~/domain/source/day.ts'
import {
  daysWithin,
  type Evaluation,
  evaluationOf,
  type KnownPrice,
  type StatedPrice,
} from '~/domain/source/guard.ts'
import type { QuoteSource, SourceAnswer } from '~/domain/source/source.ts'
import { type SourceRecord, untried } from '~/domain/source/state.ts'
import { gapsOf, publicationDates, stepsOf, usualSpan } from '~/domain/source/turn.ts'
import { dateIn, midnightMs, wallMs } from '~/domain/source/zone.ts'
import type { Log } from '~/log.ts'
import { entriesFor, refuseOther } from './source-entries.ts'
import { midsOf } from './source-mids.ts'

/** Store of official rates, the catalogue and the state of the banks. */
export type SourceStore = {
  /** Runs the work, or returns null at once if another replica does; death releases the turn. */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** The saved records, in no particular order. */
  loadStates(): Promise<readonly SourceRecord[]>
  saveState(record: SourceRecord): Promise<void>
  catalogue(): Promise<Catalogue>
  /** Adds entries to the catalogue; others stay as they are. */
  addEntries(entries: Catalogue): Promise<unknown>
  /**
   * Returns a provider's recorded prices in a span, and the nearest before and after it in each
   * corridor; of several at one time the one recorded last.
   */
  knownPrices(providerId: string, span: Span): Promise<readonly KnownPrice[]>
  referencesAt(probes: readonly Probe[]): Promise<readonly ProbeAnswer[]>
  /** Records all of them or none. */
  record(observations: readonly Observation[], source: string): Promise<void>
}

export type FetchSourceDeps = {
  readonly store: SourceStore
  readonly clock: { now(): number }
  readonly log: Log
  readonly midMaxAgeMs: number
  /** The catalogue's entry of a currency that it lacks; null for a code that is none. */
  entryOf(code: string): Currency | null
}

/** Options of a run; a run without any fetches what is new. */
export type Wish = {
  /** The first day to request, as `YYYY-MM-DD` at the bank; null for new days. */
  readonly since: string | null
  /** The last day; null for today. */
  readonly until: string | null
  /** Says whether to record nothing and change nothing. */
  readonly isDry: boolean
}

/** Outcome of one bank's run. */
export type SourceReport = {
  readonly id: string
  readonly isOk: boolean
  /** The number of observations that were recorded, or would have been. */
  readonly observations: number
  /** The newest day that is recorded; null if there is none. */
  readonly newestMs: number | null
  /** The errors and refusals of the run; each continues the bank's name. */
  readonly faults: readonly string[]
  /** Beginning of an unreadable response, for operators only. */
  readonly excerpt: string | null
  readonly record: SourceRecord
}

const BATCH_MAX = 500

/**
 * Queries a bank for a span, in its own steps, and records new and believed prices.
 *
 * Every step is recorded before the next is requested: the records of a run that breaks off stay,
 * and the next run records the rest. A step for which the bank has no page is left out. A failure
 * of the bank is an outcome; only a failure of the store rejects.
 */
export async function fetchSource(
  deps: FetchSourceDeps,
  source: QuoteSource,
  { wish, before }: { wish: Wish; before: SourceRecord | null },
): Promise<SourceReport> {
  const run = new SourceRun(deps, source, { wish, before: before ?? untried(source) })
  try {
    await run.askInSteps()
    return run.report(null)
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    return run.report(error)
  }
}

type Beginning = { readonly wish: Wish; readonly before: SourceRecord }

/** The course of one bank's run. */
class SourceRun {
  #observations = 0
  #currencies = 0
  #newestMs: number | null
  #validators
  readonly #refused: string[] = []
  /** Days of publication for which the bank has no page, and days of which a rate is recorded. */
  readonly #absent = new Set<string>()
  readonly #recorded = new Set<string>()

  constructor(
    private readonly deps: FetchSourceDeps,
    private readonly source: QuoteSource,
    private readonly beginning: Beginning,
  ) {
    this.#newestMs = beginning.before.newestMs
    this.#validators = beginning.before.validators
    this.#currencies = beginning.before.currencies
  }

  async askInSteps(): Promise<void> {
    const { deps, source } = this
    const { before } = this.beginning
    refuseWaiting(before, deps.clock.now())
    refuseOther(await deps.store.catalogue(), source)
    let absence: FeedError | null = null
    let answers = 0
    for (const step of stepsOf(this.#span(), source)) {
      try {
        await this.#take(await this.#ask(step))
        answers++
      } catch (error) {
        if (!(error instanceof FeedError) || !ABSENT.includes(error.status ?? 0)) throw error
        absence = error
        for (const date of publicationDates(step, source)) this.#absent.add(date)
      }
    }
    if (answers === 0 && absence) throw absence
  }

  report(failure: FeedError | null): SourceReport {
    const { clock } = this.deps
    const { before } = this.beginning
    const isAsked = !isWaiting(before, clock.now())
    const outcome = failure ? failed(failure, clock.now()) : succeeded(clock.now())
    const record: SourceRecord = {
      ...before,
      ...(isAsked && outcome),
      begunMs: before.begunMs ?? clock.now(),
      timeZone: this.source.timeZone,
      publishes: this.source.publishes,
      failures: failure ? before.failures + (isAsked ? 1 : 0) : 0,
      newestMs: this.#newestMs,
      gaps: this.#gaps(),
      currencies: this.#currencies,
      refused: this.#refused,
      validators: failure || this.#refused.length > 0 ? null : this.#validators,
    }
    const faults = failure ? [failure.message, ...this.#refused] : this.#refused
    return {
      id: this.source.id,
      isOk: faults.length === 0,
      observations: this.#observations,
      newestMs: this.#newestMs,
      faults,
      excerpt: failure?.excerpt ?? null,
      record,
    }
  }

  #gaps(): string[] {
    const known = { newestMs: this.#newestMs, gaps: this.beginning.before.gaps }
    const found = { absent: this.#absent, recorded: this.#recorded }
    const { timeZone } = this.source
    return gapsOf(known, found, { timeZone, nowMs: this.deps.clock.now() })
  }

  #span(): Span {
    const { wish, before } = this.beginning
    const nowMs = this.deps.clock.now()
    const { timeZone } = this.source
    if (wish.since === null) return usualSpan(before, this.source, nowMs)
    const sinceMs = midnightMs(wish.since, timeZone)!
    const lastMs =
      wish.until === null ? nowMs : wallMs(dateMsOf(wish.until)! + DAY_MS, timeZone) - 1
    const oldestMs = backfillStartMs(nowMs)
    return { sinceMs: Math.max(sinceMs, oldestMs), untilMs: Math.min(lastMs, nowMs) }
  }

  async #ask(step: Span): Promise<SourceAnswer> {
    const { wish, before } = this.beginning
    const oldestMs = backfillStartMs(this.deps.clock.now())
    const isUsual = wish.since === null
    const readSinceMs = isUsual ? (before.newestMs ?? oldestMs) : step.sinceMs
    const validators = isUsual ? this.#validators : null
    try {
      return await this.source.ask({ span: step, readSinceMs, validators })
    } catch (error) {
      if (error instanceof FeedError) throw error
      const { log } = this.deps
      log.error({ source: this.source.id, err: error }, 'a quote source failed because of a bug')
      throw new FeedError('unexpected', 'failed for an unexpected reason')
    }
  }

  async #take({ days, isUnchanged, validators }: SourceAnswer): Promise<void> {
    const { source, deps } = this
    this.#validators = validators
    if (isUnchanged) return
    const nowMs = deps.clock.now()
    const isStrict = this.beginning.wish.since !== null
    const { timeZone } = source
    const within = daysWithin(days, { ...this.#span(), isStrict, timeZone, nowMs })
    const oldestMs = backfillStartMs(nowMs)
    const taken = within.filter(({ atMs }) => atMs >= oldestMs)
    const [first, last] = [taken[0], taken.at(-1)]
    if (!first || !last) return
    const span = { sinceMs: first.atMs, untilMs: last.atMs }
    const known = await deps.store.knownPrices(source.provider.id, span)
    const catalogue = await this.#catalogueFor(taken)
    const evaluated = await this.#evaluated(taken, { known, catalogue })
    this.#refused.push(...evaluated.refused)
    this.#currencies = evaluated.accepted.filter(({ atMs }) => atMs === last.atMs).length
    await this.#record(evaluated.accepted, known)
    for (const { atMs } of evaluated.accepted) this.#recorded.add(dateIn(atMs, timeZone))
    if (evaluated.accepted.length > 0)
      this.#newestMs = Math.max(this.#newestMs ?? 0, evaluated.accepted.at(-1)!.atMs)
  }

  async #catalogueFor(days: readonly BankDay[]): Promise<Catalogue> {
    const { store, entryOf } = this.deps
    const codes = new Set(days.flatMap(({ rates }) => rates.map(({ currency }) => currency)))
    const { source } = this
    const { missing, whole } = entriesFor(await store.catalogue(), { source, codes, entryOf })
    const isNew = missing.currencies.length + missing.providers.length > 0
    if (isNew && !this.beginning.wish.isDry) await store.addEntries(missing)
    return whole
  }

  async #evaluated(days: readonly BankDay[], { known, catalogue }: Known): Promise<Evaluation> {
    const { currency, timeZone } = this.source
    const active = catalogue.currencies.filter(({ isActive }) => isActive)
    const codes = new Set(active.map(({ code }) => code))
    const stated = new Set(days.flatMap(({ rates }) => rates.map((rate) => rate.currency)))
    const { store, clock, midMaxAgeMs: maxAgeMs } = this.deps
    const midOf = await midsOf(store, {
      currency,
      codes: [...stated.intersection(codes)],
      moments: days.map(({ atMs }) => atMs),
      nowMs: clock.now(),
      anchors: new Anchors(catalogue.currencies),
      maxAgeMs,
    })
    const isKnown = (code: string) => codes.has(code)
    return evaluationOf({ days, currency, timeZone, isKnown, midOf, known })
  }

  async #record(accepted: readonly StatedPrice[], known: readonly KnownPrice[]): Promise<void> {
    const held = new Map(known.map((price) => [priceKey(price), price.rate]))
    const fresh = accepted.filter((price) => held.get(priceKey(price)) !== price.rate)
    const { provider, currency } = this.source
    const observations = fresh.map((price) => observationOf(price, provider.id, currency))
    for (let start = 0; start < observations.length; start += BATCH_MAX) {
      const batch = observations.slice(start, start + BATCH_MAX)
      if (!this.beginning.wish.isDry) await this.deps.store.record(batch, this.source.id)
      this.#observations += batch.length
    }
  }
}

/** The statuses by which a bank says that it has no page for a span. */
const ABSENT: readonly number[] = [404, 410]

type Known = { readonly known: readonly KnownPrice[]; readonly catalogue: Catalogue }

const priceKey = ({ from, atMs }: Pick<KnownPrice, 'from' | 'atMs'>): string => `${from} ${atMs}`

const observationOf = (price: StatedPrice, providerId: string, to: string): Observation => ({
  providerId,
  from: price.from,
  to,
  rate: price.rate,
  fee: null,
  feeCurrency: null,
  rateType: 'official',
  evidence: price.evidence,
  offer: null,
  effectiveMs: price.atMs,
  notes: price.notes,
})
