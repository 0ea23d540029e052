import { HOUR_MS } from '~/domain/duration.ts'
import type { Tier } from '~/domain/freshness.ts'
import { readEventId } from '~/domain/live/event-id.ts'
import type { Subscription } from '~/domain/live/subscription.ts'
import { ANYWHERE, type Live } from '~/memory/live/live.ts'
import type { RingLimits } from '~/memory/live/ring.ts'
import type { Step, StepSubscriber } from '~/memory/live/step.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { Channel, type ChannelDeps, type Known } from './channel.ts'
import type { StreamTexts } from './event.ts'
import { type HourBase, hourlyEntry } from './hourly.ts'
import type { Sink, StreamReader } from './reader.ts'
import { realtimeEntry } from './realtime.ts'
import { Turns } from './turns.ts'

const REALTIME_LIMITS: RingLimits = { steps: 50_000, events: 20_000, bytes: 16 * 1024 * 1024 }
/** Three hours; events are looked up in the generations of their hours. */
const HOURLY_LIMITS: RingLimits = { steps: 3, events: 20_000, bytes: 16 * 1024 * 1024 }
/** The time for which the clock is watched after the last reader has left. */
const LINGER_MS = HOUR_MS / 6

type HubDeps = {
  readonly live: Live
  readonly limits: AgeLimits
  readonly texts: StreamTexts
  readonly now: () => number
  readonly isSample?: ChannelDeps['isSample']
  /** Lets requests and responses have their turn, then calls `work`. */
  readonly soon?: (work: () => void) => void
  readonly later?: ChannelDeps['later']
}

type StreamRequest = {
  readonly tier: Tier
  readonly subscription: Subscription
  /** As the reader gave it; null if it gave none. */
  readonly lastEventId: string | null
  readonly sink: Sink
}

/**
 * All readers of events, and what they get.
 *
 * Events are derived from the steps of `live`, once for all, and sent in turns after their cause.
 * Readers of the hourly tier get at the top of the hour what it shows that the one before did not,
 * and nothing else.
 */
export class StreamHub implements StepSubscriber {
  readonly #channels: Readonly<Record<Tier, Channel>>
  readonly #known: Known
  readonly #later: ChannelDeps['later']
  #position: number
  #base: HourBase
  /** The open hour that hourly readers know. */
  #openMs: number | null
  readonly #unsubscribe: () => void
  /** Ends the watch on time, while there is one; and the wait for its end. */
  #unwatch: (() => void) | null = null
  #unlinger: (() => void) | null = null

  constructor(private readonly deps: HubDeps) {
    const { live, texts, now, isSample, soon = setImmediate, later = unrefTimeout } = deps
    this.#later = later
    this.#position = live.position
    this.#base = { generation: live.current, hourMs: null }
    this.#openMs = live.hourMs
    const shared = {
      texts,
      now,
      isSample,
      later,
      turns: new Turns(soon),
      onLeft: () => this.#linger(),
    }
    const realtime = new Channel('realtime', shared, REALTIME_LIMITS, live.position)
    const hourly = new Channel('hourly', shared, HOURLY_LIMITS, live.position)
    this.#channels = { realtime, hourly }
    const positionOf = () => this.#position
    this.#known = {
      get position() {
        return positionOf()
      },
      has: (position) => realtime.ring.has(position) || hourly.ring.has(position),
    }
    this.#unsubscribe = live.subscribe(this)
  }

  /** Readers of each tier, and the events that are retained for returning ones. */
  get figures() {
    const { realtime, hourly } = this.#channels
    const { steps, events, bytes } = realtime.ring
    const tiers = { realtime: realtime.figures, hourly: hourly.figures }
    return { ...tiers, ring: { steps, events, bytes } }
  }

  /**
   * Opens a stream. The hello is written before this returns; events follow in turns. Neither the
   * form of the last id nor its age is an error: the reader is then reset.
   */
  open({ tier, subscription, lastEventId, sink }: StreamRequest): StreamReader {
    this.#watch()
    const from = lastEventId === null ? null : (readEventId(lastEventId) ?? 'unknown')
    return this.#channels[tier].open(subscription, from, this.#known, sink)
  }

  onStep(step: Step): void {
    const { limits } = this.deps
    const { realtime, hourly } = this.#channels
    this.#position = step.position
    realtime.append(realtimeEntry(step, limits), this.#known)
    hourly.settle(this.#known)
    if (step.kind === 'hour') this.#open(step)
  }

  /** Resets all readers; those of the hourly tier only if the gap hides the start of an hour. */
  onGap(position: number): void {
    const { live } = this.deps
    const isSameHour = this.#position !== 0 && live.hourMs === this.#openMs
    this.#position = position
    this.#channels.realtime.interrupt('gap', position)
    if (isSameHour) return
    this.#channels.hourly.interrupt('gap', position)
    this.#base = { generation: live.current, hourMs: null }
    this.#openMs = live.hourMs
  }

  /** Sends hourly readers what the hour shows, or a reset. */
  #open(step: Step): void {
    const { hourly } = this.#channels
    const entry = hourlyEntry(step, this.#base, this.deps.limits)
    this.#base = { generation: step.after, hourMs: step.hour!.ms }
    this.#openMs = step.hour!.ms
    if (entry) hourly.append(entry, this.#known)
    else hourly.interrupt('gap', step.position)
  }

  /** Has time watched for as long as there are readers, and some time longer. */
  #watch(): void {
    this.#unwatch ??= this.deps.live.watch(ANYWHERE)
    this.#unlinger?.()
    this.#unlinger = null
  }

  #linger(): void {
    const { realtime, hourly } = this.#channels
    if (realtime.figures.readers + hourly.figures.readers > 0) return
    this.#unlinger?.()
    this.#unlinger = this.#later(() => {
      this.#unwatch?.()
      this.#unwatch = null
    }, LINGER_MS)
  }

  /** Stops receiving steps. Readers stay as they are. */
  close(): void {
    this.#unsubscribe()
    this.#unlinger?.()
    this.#unwatch?.()
    this.#unwatch = null
  }
}

const unrefTimeout: ChannelDeps['later'] = (work, ms) => {
  const timer = setTimeout(work, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
