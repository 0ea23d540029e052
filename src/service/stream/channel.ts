import { type Freshness, freshnessAt, type Tier } from '~/domain/freshness.ts'
import { END, type EventId } from '~/domain/live/event-id.ts'
import type { Subscription } from '~/domain/live/subscription.ts'
import { Ring, type RingLimits } from '~/memory/live/ring.ts'
import { Audience } from './audience.ts'
import type { Entry } from './entry.ts'
import type { ResetReason, StreamTexts } from './event.ts'
import { type Sink, type Source, StreamReader } from './reader.ts'
import type { Turns } from './turns.ts'

/** The longest lag of this process behind what a reader already knows. */
const AHEAD_MS_MAX = 3_000

export type ChannelDeps = {
  readonly texts: StreamTexts
  readonly turns: Turns
  readonly now: () => number
  /** Says whether prices may be those of the sample. */
  readonly isSample?: (() => boolean) | undefined
  /** Calls `work` later, unless the returned function is called before. */
  readonly later: (work: () => void, ms: number) => () => void
  readonly onLeft: () => void
}

/** Place from which a reader wants to go on. */
export type Known = {
  /** The last position that this process has received. */
  readonly position: number
  /** Reports whether it has received this very position lately. */
  has(position: number): boolean
}

/** The readers of one tier, and the last steps sent to them. */
export class Channel implements Source {
  readonly ring: Ring<Entry>
  readonly texts: StreamTexts
  readonly #audience = new Audience()
  /** Readers ahead of this process, each with its own place and what ends that wait. */
  readonly #ahead = new Map<StreamReader, { id: EventId; end: () => void }>()
  #position: number
  #sent = 0
  #resets = 0
  #slow = 0

  constructor(
    private readonly tier: Tier,
    private readonly deps: ChannelDeps,
    limits: RingLimits,
    position: number,
  ) {
    this.ring = new Ring(limits, position)
    this.texts = deps.texts
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  /** Open streams; since the start: events sent, restarts of readers, and readers too slow. */
  get figures() {
    const counted = { sent: this.#sent, resets: this.#resets, slow: this.#slow }
    return { readers: this.#audience.size, ...counted }
  }

  /** Sends the next step to its subscribers. */
  append(entry: Entry, known: Known): void {
    this.ring.append(entry)
    this.#position = entry.position
    this.settle(known)
    for (const reader of this.#audience.of(entry.touched)) reader.receive(entry)
  }

  /** Makes every reader reload, and retains only what comes after `position`. */
  interrupt(reason: ResetReason, position: number): void {
    this.ring.clear(position)
    this.#position = position
    for (const reader of this.#audience.of(null)) reader.interrupt(reason)
  }

  /** Looks again at the readers who were ahead. */
  settle(known: Known): void {
    for (const [reader, { id, end }] of this.#ahead) {
      if (known.position < id.position) continue
      this.#ahead.delete(reader)
      end()
      const fault = this.#faultOf(id, known)
      if (fault) reader.interrupt(fault)
    }
  }

  /** Opens a stream from the place given, or from now on; it begins with a hello. */
  open(subscription: Subscription, from: EventId | 'unknown' | null, known: Known, sink: Sink) {
    const fault = from && (from === 'unknown' ? 'unknown_id' : this.#faultOf(from, known))
    const isResumed = from !== null && from !== 'unknown' && (!fault || fault === 'ahead')
    const id = isResumed ? from : { position: this.#position, place: END }
    const reader = new StreamReader(subscription, this, sink, id)
    this.#audience.add(reader)
    const { corridors } = subscription
    const isReset = fault !== null && !isResumed
    const hello = { id, freshness: this.#freshness, corridors, isResumed, isReset }
    const asking = isReset ? this.resetText(fault, subscription) : ''
    reader.say(`${this.texts.hello(hello)}${asking}`)
    if (fault === 'ahead') this.#await(reader, id)
    else if (isResumed) reader.catchUp()
    return reader
  }

  resetText(reason: ResetReason, { corridors }: Subscription): string {
    this.#resets++
    const id = { position: this.#position, place: END }
    return this.texts.reset({ id, freshness: this.#freshness, corridors, reason })
  }

  plan(reader: StreamReader): void {
    this.deps.turns.add(reader)
  }

  left(reader: StreamReader, isSlow: boolean): void {
    this.#audience.remove(reader)
    this.deps.turns.remove(reader)
    this.#ahead.get(reader)?.end()
    this.#ahead.delete(reader)
    if (isSlow) this.#slow++
    this.deps.onLeft()
  }

  countSent(events: number): void {
    this.#sent += events
  }

  get #freshness(): Freshness {
    return freshnessAt(this.tier, this.deps.now(), this.deps.isSample?.())
  }

  #await(reader: StreamReader, id: EventId): void {
    const late = () => {
      this.#ahead.delete(reader)
      reader.interrupt('ahead')
    }
    this.#ahead.set(reader, { id, end: this.deps.later(late, AHEAD_MS_MAX) })
  }

  /** The reason why no reader can go on from a place; null if one can. */
  #faultOf({ position, place }: EventId, known: Known): ResetReason | null {
    const { begin } = this.ring
    if (position > known.position) return 'ahead'
    if (position < begin || (position === begin && place !== END)) return 'too_old'
    if (!this.ring.has(position) && !known.has(position)) return 'unknown_id'
    const [entry] = this.ring.since(position)
    const isInside = entry?.position === position && place !== END
    return isInside && !entry.isWhole ? 'too_old' : null
  }
}
