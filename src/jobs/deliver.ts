import { setTimeout as delay } from 'node:timers/promises'
import { hostOf } from '~/domain/alert/alert.ts'
import type { Answer, Attempt, Claim, ClaimRequest, SwitchedOff } from '~/domain/alert/claim.ts'
import { REASONS } from '~/domain/alert/reason.ts'
import { nextTryMs } from '~/domain/alert/retries.ts'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Log } from '~/log.ts'
import type { Job } from './schedule.ts'

type OutboxStore = {
  /** Claims due deliveries for this process; [] if there are none. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>
  /** Gives a claim back, as if it had not been tried; it is due at `nextMs`. */
  release(claim: Claim, nextMs: number): Promise<void>
  countAttempt(scope: string, endsMs: number): Promise<number>
  keepSuccess(claim: Claim, attempt: Attempt): Promise<void>
  /** Keeps a failure, and when it is tried next; null gives it up. */
  keepFailure(claim: Claim, attempt: Attempt, nextMs: number | null): Promise<void>
  /** Since when everything to the claim's receiver has failed; null if nothing does. */
  failingSince(claim: Claim): Promise<number | null>
  /** Ends the alerts of the account with the claim's destination. */
  switchOff(claim: Claim, reason: string, nowMs: number): Promise<SwitchedOff>
  /** Adds an email to the owner about alerts that ended. */
  addEnding(claim: Claim, body: string, nowMs: number): Promise<void>
  /** Makes deliveries due that a clock ahead has put off for too long; returns their number. */
  recall(nowMs: number): Promise<number>
  /** The time when the longest waiting delivery was due; null for none. */
  dueSince(nowMs: number): Promise<number | null>
  prune(nowMs: number): Promise<void>
}

export type Outcome = 'done' | 'failed' | 'given_up'

type DelivererDeps = {
  readonly store: OutboxStore
  readonly clock: { now(): number }
  readonly log: Log
  /** A stopwatch, in milliseconds. */
  readonly stopwatch: () => number
  /** A random number from 0 to below 1. */
  readonly random: () => number
  /** Attempts delivery once; never rejects. The signal ends it early. */
  send(claim: Claim, stop: AbortSignal): Promise<Answer>
  /** The email to the owner of alerts that were switched off; null if none can be sent. */
  endingBody(claim: Claim, ended: SwitchedOff, reason: string): string | null
  note(claim: Claim, outcome: Outcome, ms: number): void
}

/** The maximum number of deliveries in progress at once, to one receiver and for one account. */
const UNDER_WAY_MAX = 20
const TO_RECEIVER_MAX = 2
const FOR_ACCOUNT_MAX = 8

/** The maximum number of attempts to one host in a minute, of all accounts and replicas. */
export const TO_HOST_MAX = 300

/** The longest time for which everything to one address may fail before it is switched off. */
const FAILING_MS_MAX = DAY_MS

/** The time that deliveries in progress may take after the service was asked to stop. */
const STOP_WAIT_MS = 2000

const GONE = 410

/**
 * Delivers the messages of alerts. Each delivery is claimed in the database for one attempt, so
 * that processes share the work, and the claims of a dead process are taken up again.
 */
export class Deliverer {
  readonly jobs: readonly Job[]
  readonly #underWay = new Map<Claim, Promise<void>>()
  readonly #stop = new AbortController()
  #isStopping = false
  #isWanted = false
  #claiming: Promise<void> | null = null
  #dueSinceMs: number | null = null

  constructor(private readonly deps: DelivererDeps) {
    const { store, clock } = deps
    this.jobs = [
      { name: 'deliver-alerts', pattern: '* * * * * *', run: () => this.#claimAll() },
      {
        name: 'watch-deliveries',
        pattern: '*/5 * * * * *',
        run: async () => {
          if ((await store.recall(clock.now())) > 0) this.wake()
          this.#dueSinceMs = await store.dueSince(clock.now())
        },
      },
      { name: 'prune-deliveries', pattern: '4 * * * *', run: () => store.prune(clock.now()) },
    ]
  }

  /** Looks for deliveries now; a failure is retried within a second. */
  readonly wake = (): void => {
    void this.#claimAll().catch(() => {})
  }

  /** The time when the longest waiting delivery was due; null for none. */
  get dueSinceMs(): number | null {
    return this.#dueSinceMs
  }

  get underWay(): number {
    return this.#underWay.size
  }

  /** Waits briefly for deliveries in progress, and gives unfinished ones to other processes. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#claiming?.catch(() => {})
    const settled = Promise.all(this.#underWay.values())
    await Promise.race([settled, delay(STOP_WAIT_MS, undefined, { ref: false })])
    this.#stop.abort()
    await settled
  }

  #claimAll(): Promise<void> {
    this.#isWanted = true
    this.#claiming ??= this.#claimRounds().finally(() => {
      this.#claiming = null
    })
    return this.#claiming
  }

  async #claimRounds(): Promise<void> {
    while (this.#isWanted && !this.#isStopping) {
      this.#isWanted = false
      const room = UNDER_WAY_MAX - this.#underWay.size
      if (room <= 0) return
      const claims = await this.deps.store.claim({
        nowMs: this.deps.clock.now(),
        room,
        busyReceivers: this.#busy(({ receiver }) => receiver, TO_RECEIVER_MAX),
        busyAccounts: this.#busy(({ accountId }) => accountId, FOR_ACCOUNT_MAX),
      })
      if (claims.length > 0) this.#isWanted = true
      for (const claim of claims) this.#begin(claim)
    }
  }

  #busy(nameOf: (claim: Claim) => string, max: number): string[] {
    const groups = Map.groupBy(this.#underWay.keys(), nameOf)
    return [...groups].filter(([, claims]) => claims.length >= max).map(([name]) => name)
  }

  #begin(claim: Claim): void {
    const ended = this.#deliver(claim)
      .catch((err) => {
        this.deps.log.error({ err, delivery: claim.id }, 'the outcome of a delivery was not stored')
      })
      .finally(() => {
        this.#underWay.delete(claim)
        this.wake()
      })
    this.#underWay.set(claim, ended)
  }

  async #deliver(claim: Claim): Promise<void> {
    const { store, clock, stopwatch, note } = this.deps
    const waitsMs = await this.#waitsMs(claim)
    if (waitsMs !== null) return store.release(claim, waitsMs)
    const startMs = stopwatch()
    const answer = await this.deps.send(claim, this.#stop.signal)
    const ms = Math.round(stopwatch() - startMs)
    const attempt = { ...answer, ms, nowMs: clock.now() }
    if (answer.error === null) {
      note(claim, 'done', ms)
      return store.keepSuccess(claim, attempt)
    }
    if (this.#stop.signal.aborted && answer.status === null)
      return store.release(claim, clock.now())
    const nextMs = this.#nextMs(claim, attempt)
    note(claim, nextMs === null ? 'given_up' : 'failed', ms)
    await store.keepFailure(claim, attempt, nextMs)
    const reason = await this.#endOf(claim, attempt)
    if (reason !== null) await this.#switchOff(claim, reason)
  }

  /** The time until which the claim's host has had its maximum of attempts; null if it has not. */
  async #waitsMs({ to }: Claim): Promise<number | null> {
    if (to.kind !== 'webhook') return null
    const endsMs = (Math.floor(this.deps.clock.now() / MINUTE_MS) + 1) * MINUTE_MS
    const count = await this.deps.store.countAttempt(`alerts sent to ${hostOf(to.url)}`, endsMs)
    return count > TO_HOST_MAX ? endsMs : null
  }

  /** A person waits for a test, so it is tried once. */
  #nextMs({ kind, tries, createdMs }: Claim, { nowMs }: Attempt): number | null {
    if (kind === 'test') return null
    return nextTryMs({ tries, createdMs, nowMs, random: this.deps.random() })
  }

  /** Returns why nothing more is sent to a claim's destination; null if it is tried again. */
  async #endOf(claim: Claim, { status, error, nowMs }: Attempt): Promise<string | null> {
    if (claim.to.kind !== 'webhook') return null
    if (status === GONE) return REASONS.gone
    if (claim.kind === 'test') return null
    const sinceMs = await this.deps.store.failingSince(claim)
    if (sinceMs === null || nowMs - sinceMs < FAILING_MS_MAX) return null
    return `${REASONS.failing}${error}`
  }

  async #switchOff(claim: Claim, reason: string): Promise<void> {
    const { store, clock, log, endingBody } = this.deps
    const ended = await store.switchOff(claim, reason, clock.now())
    if (ended.alerts.length === 0 && ended.lost === 0) return
    log.warn(
      { account: claim.accountId, alerts: ended.alerts.length },
      'a webhook was switched off',
    )
    const body = endingBody(claim, ended, reason)
    if (body === null) return
    await store.addEnding(claim, body, clock.now())
    this.wake()
  }
}
