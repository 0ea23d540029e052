import { type Caller, isRevoked } from '~/domain/account.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import { ENDS, retryText } from '~/wire/stream/ending.ts'
import { endedText } from '~/wire/stream/text.ts'
import type { OpenStream } from './open-stream.ts'

/** Interval at which some of the streams have their turn. */
const TICK_MS = 100
/** Each stream gets its position once in 15 seconds; most proxies wait 60. */
const BEAT_TICKS = 150
/** Each is looked at once a second, since a key may end by itself. */
const CHECK_TICKS = 10
/** The range of reconnection delays, so that clients do not all reconnect at once. */
const RETRY_MS = { min: 500, max: 5000 }

type OpenStreamsDeps = {
  readonly memory: { readonly current: { readonly keys: KeyIndex } }
  readonly clock: { now(): number }
}

type End = keyof typeof ENDS

/** Every open stream of this process: sends heartbeats, and ends each with its key or its plan. */
export class OpenStreams {
  readonly #slots = Array.from({ length: BEAT_TICKS }, () => new Set<OpenStream>())
  readonly #slotOf = new Map<OpenStream, Set<OpenStream>>()
  readonly #ended: Record<End | 'stopped', number> = { revoked_key: 0, plan_changed: 0, stopped: 0 }
  #next = 0
  #tick = 0
  #timer: Timer | null = null
  #keys: KeyIndex | null = null
  #isStopped = false

  constructor(private readonly deps: OpenStreamsDeps) {}

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The number of streams this process ended, by the reason. */
  get ended(): Readonly<Record<End | 'stopped', number>> {
    return this.#ended
  }

  add(stream: OpenStream): void {
    const slot = this.#slots[this.#next++ % BEAT_TICKS]!
    slot.add(stream)
    this.#slotOf.set(stream, slot)
    this.#timer ??= setInterval(() => this.tick(), TICK_MS)
  }

  remove(stream: OpenStream): void {
    this.#slotOf.get(stream)?.delete(stream)
    this.#slotOf.delete(stream)
    if (this.#slotOf.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /** Gives the streams their turn whose time it is; all of them once keys or plans have changed. */
  tick(): void {
    const { keys } = this.deps.memory.current
    const isNew = keys !== this.#keys
    this.#keys = keys
    const tick = this.#tick++
    const nowMs = this.deps.clock.now()
    for (let slot = 0; slot < BEAT_TICKS; slot++)
      if (isNew || (slot - tick) % CHECK_TICKS === 0)
        for (const stream of this.#slots[slot]!) this.#check(stream, keys, nowMs)
    for (const stream of this.#slots[tick % BEAT_TICKS]!) stream.beat()
  }

  /** Ends all streams, and makes their clients reconnect. */
  stop(): void {
    this.#isStopped = true
    for (const stream of [...this.#slotOf.keys()]) {
      this.#ended.stopped++
      const { min, max } = RETRY_MS
      stream.end(retryText(min + Math.floor(Math.random() * (max - min))))
    }
  }

  #check(stream: OpenStream, keys: KeyIndex, nowMs: number): void {
    const end = endOf(stream.caller, keys, nowMs)
    if (end === null) return
    this.#ended[end]++
    stream.end(endedText(ENDS[end]))
  }
}

/** Reason why a caller may not go on reading; null if nothing changed. */
function endOf({ key, account }: Caller, keys: KeyIndex, nowMs: number): End | null {
  const current = keys.keyByHash(key.hash)
  if (!current || isRevoked(current, nowMs)) return 'revoked_key'
  return keys.account(account.id)?.plan === account.plan ? null : 'plan_changed'
}
