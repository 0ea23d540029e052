import { advanceOf, type Share, type ShareAsk } from '~/domain/quota.ts'
import type { DayShare } from './day-share.ts'

/** The maximum number of shares that are requested at once; the others wait for the next turn. */
const ASKS_MAX = 150

type Asked = { readonly share: DayShare; readonly ask: ShareAsk; readonly spent: number }

/**
 * The shares that this process has of budgets that several processes spend together.
 *
 * A unit is covered by a share, or is one of the few that may be taken in advance, or has to wait.
 * More units are requested when half of a share is spent. While the database does not respond, no
 * request waits: this process then counts on its own, by what it knows.
 *
 * All processes together never spend more than the limit plus `overshootMax`: the database gives
 * shares only while everything counted and held is within the limit, and each process spends at
 * most `advanceOf` its slot beyond that until the next response confirms it.
 */
export class UsageShares {
  /** Called whenever there is something to ask for. */
  onAsk: () => void = () => {}
  #waits = 0
  #slot = 0
  #joinedMs = Number.NEGATIVE_INFINITY
  #isAdrift = false
  readonly #asking = new Set<DayShare>()
  readonly #waiting = new Set<DayShare>()
  #asked: readonly Asked[] = []

  /** A lease is good for `trustMs`. */
  constructor(
    private readonly clock: { now(): number },
    private readonly trustMs: number,
  ) {}

  /** Number of times that a request had to wait for a share. */
  get waits(): number {
    return this.#waits
  }

  /** Null if a unit may be taken now, else a promise to await before trying again. */
  wait(share: DayShare, limit: number, nowMs: number): Promise<void> | null {
    if (share.spent < share.askAt && share.limit === limit && this.#isGoodAt(nowMs)) return null
    if (this.#isAdrift) return null
    if (share.limit !== limit) this.#limit(share, limit)
    this.#ask(share)
    if (this.#isOpen(share) && this.isJoined) return null
    this.#waits += 1
    this.#waiting.add(share)
    share.waiting ??= Promise.withResolvers()
    return share.waiting.promise
  }

  /** Reports whether the lease is still good; it is not after the clock was turned back. */
  get isJoined(): boolean {
    return this.#isGoodAt(this.clock.now())
  }

  /** Records that this process counts in `slot`, with a lease from `fromMs`, the time it asked. */
  joined(slot: number, fromMs: number): void {
    this.#slot = slot
    this.#joinedMs = fromMs
  }

  /** The shares to ask for now; `take` or `fail` has to follow before asking again. */
  takeAsks(): ShareAsk[] {
    const shares = [...this.#asking].slice(0, ASKS_MAX)
    this.#asked = shares.map((share) => {
      const { accountId, day, limit, held, isMore, spent } = share
      this.#asking.delete(share)
      share.tell()
      share.isMore = false
      share.state = 'asked'
      return { share, ask: { accountId, day, limit: limit ?? 0, held, isMore }, spent }
    })
    return this.#asked.map(({ ask }) => ask)
  }

  /** Takes the response; without any share this process counted as dead. */
  take(shares: readonly Share[], isSpent: (share: DayShare) => boolean): void {
    const given = new Map(shares.map((share) => [nameOf(share), share]))
    const asked = this.#asked
    this.#asked = []
    if (given.size < asked.length) this.#joinedMs = Number.NEGATIVE_INFINITY
    for (const { share, ask, spent } of asked) {
      const answer = given.get(nameOf(share))
      share.state = 'idle'
      if (!answer || share.limit !== ask.limit) {
        this.#ask(share)
        continue
      }
      share.grant(spent, answer.units)
      share.mayAdvance = answer.isWithin
      if (!share.waiting) continue
      if (this.#isOpen(share) || isSpent(share)) this.#wake(share)
      else share.state = 'dry'
    }
  }

  /** Records that the database did not respond in time: until it does, no request waits for it. */
  fail(): void {
    this.#isAdrift = true
    for (const share of this.#waiting) this.#wake(share)
  }

  /** Records that the database responds again. */
  recover(): void {
    this.#isAdrift = false
  }

  /** Returns the pending requests, to be made again in the next turn. */
  putBack(): void {
    for (const { share } of this.#asked) {
      share.state = 'asking'
      share.isMore = true
      this.#asking.add(share)
    }
    this.#asked = []
  }

  get isAsking(): boolean {
    return this.#asking.size > 0
  }

  /** Reports whether a request waits although the last response brought nothing. */
  get isDry(): boolean {
    for (const { state } of this.#waiting) if (state === 'dry') return true
    return false
  }

  /** Asks again for shares that the last response did not bring. */
  retry(): void {
    for (const share of this.#waiting) if (share.state === 'dry') this.#ask(share)
  }

  /** Gives back the held units, for other processes that found nothing left. */
  release(share: DayShare): void {
    if (share.held === 0 || share.state === 'asked') return
    share.void()
    this.#queue(share)
  }

  #isGoodAt(nowMs: number): boolean {
    return Math.abs(nowMs - this.#joinedMs) < this.trustMs
  }

  #limit(share: DayShare, limit: number): void {
    if (share.limit !== null) share.mayAdvance = false
    share.limit = limit
    share.void()
  }

  #ask(share: DayShare): void {
    if (share.state === 'asked') return
    share.isMore = true
    this.#queue(share)
  }

  #queue(share: DayShare): void {
    if (share.state === 'asking') return
    share.state = 'asking'
    this.#asking.add(share)
    this.onAsk()
  }

  /** Says whether a unit is covered, or may be taken in advance. */
  #isOpen({ spent, granted, mayAdvance, limit }: DayShare): boolean {
    return spent < granted + (mayAdvance ? advanceOf(limit ?? 0, this.#slot) : 0)
  }

  #wake(share: DayShare): void {
    this.#waiting.delete(share)
    share.wake()
  }
}

const nameOf = ({ accountId, day }: { accountId: string; day: number }): string =>
  `${accountId} ${day}`
