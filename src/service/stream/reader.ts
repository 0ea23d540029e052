import { END, type EventId } from '~/domain/live/event-id.ts'
import { concerns, type Subscription } from '~/domain/live/subscription.ts'
import type { Ring } from '~/memory/live/ring.ts'
import type { Entry } from './entry.ts'
import type { ResetReason, StreamTexts } from './event.ts'

/** Destination of a stream's strings. */
export type Sink = {
  /** Takes the next string; after false the reader waits with the next until `drained`. */
  write(text: string): boolean
  /** Called once, when nothing more will be written: the reader was too slow. */
  end(): void
}

export type Source = {
  readonly ring: Ring<Entry>
  /** The position up to which everything was sent. */
  readonly position: number
  readonly texts: StreamTexts
  resetText(reason: ResetReason, subscription: Subscription): string
  /** Gives the reader a turn soon. */
  plan(reader: StreamReader): void
  /** Called when the reader is gone; `isSlow` if it was too slow. */
  left(reader: StreamReader, isSlow: boolean): void
  /** Counts what was sent. */
  countSent(events: number): void
}

/** Bytes that may wait for a reader that takes nothing, besides those that it holds itself. */
const WAITING_BYTES_MAX = 1024 * 1024
/** The longest string, and the maximum number of marks searched for it, in one turn. */
const TEXT_LENGTH_MAX = 64 * 1024
const MARKS_MAX = 500

/**
 * - `idle`: everything was sent
 * - `planned`: there may be more, and the reader has a turn soon
 * - `blocked`: the sink has no room
 * - `ended`: nothing more is sent
 */
type State = 'idle' | 'planned' | 'blocked' | 'ended'

/** One stream: what it subscribed to, and how far it has come. */
export class StreamReader {
  #state: State = 'idle'
  /** The last event sent, or the place where the next ones are looked for. */
  #cursor: EventId
  #waitingBytes = 0
  #reset: ResetReason | null = null
  /** Says whether the sink had no room after everything was sent the last time. */
  #isHeldUp = false

  /** A reader who knows everything up to `cursor`. */
  constructor(
    readonly subscription: Subscription,
    private readonly source: Source,
    private readonly sink: Sink,
    cursor: EventId,
  ) {
    this.#cursor = cursor
  }

  /** Takes note of a step that may have something for this reader. */
  receive(entry: Entry): void {
    if (this.#state === 'ended' || entry.position < this.#cursor.position) return
    if (this.#state === 'idle') this.#cursor = this.#before(entry.position)
    if (this.#state === 'blocked') this.#wait(entry)
    else this.#plan()
  }

  /** Resets the reader: what it did not get yet, it will not get. */
  interrupt(reason: ResetReason): void {
    if (this.#state === 'ended') return
    this.#reset = reason
    this.#waitingBytes = 0
    if (this.#state !== 'blocked') this.#plan()
  }

  /** Begins to send what came after the reader's place. */
  catchUp(): void {
    if (this.#state === 'idle') this.#plan()
  }

  /** Goes on: the sink has room again. */
  drained(): void {
    if (this.#state !== 'blocked') return
    this.#waitingBytes = 0
    this.#plan()
  }

  /** Sends the reader's position, unless something else is being sent. */
  beat(): void {
    if (this.#state === 'idle') this.#write(this.source.texts.beat(this.#standing))
  }

  /** Ends the reader from outside; nothing more is written. */
  close(): void {
    this.#end(false)
  }

  /** Writes a string that is not an event, such as the first one. */
  say(text: string): void {
    if (this.#state !== 'ended') this.#write(text)
  }

  /** Sends the next events, as many as fit a string; reports whether there are more. */
  turn(): boolean {
    if (this.#state !== 'planned') return false
    if (this.#isKept() && !this.#reset) return this.#tell()
    if (this.#isHeldUp && !this.#reset) this.#tooSlow()
    else this.#ask(this.#reset ?? 'too_old')
    return false
  }

  #plan(): void {
    this.#state = 'planned'
    this.source.plan(this)
  }

  /** The place before a step; what was sent of that step stays sent. */
  #before(position: number): EventId {
    return position === this.#cursor.position ? this.#cursor : { position, place: -1 }
  }

  /** Position that an idle reader may be said to know: all, unless it waits for its own place. */
  get #standing(): EventId {
    const { position } = this.source
    return position > this.#cursor.position ? { position, place: END } : this.#cursor
  }

  #isKept(): boolean {
    const { begin } = this.source.ring
    const { position, place } = this.#cursor
    return position > begin || (position === begin && place === END)
  }

  #ask(reason: ResetReason): void {
    this.#reset = null
    this.#cursor = { position: this.source.position, place: END }
    this.#rest()
    this.#write(this.source.resetText(reason, this.subscription))
  }

  #tell(): boolean {
    const { ring, texts } = this.source
    const grew = (bytes: number) => ring.grew(bytes)
    let text = ''
    let events = 0
    let marks = 0
    let isMore = false
    steps: for (const entry of ring.since(this.#cursor.position)) {
      if (!concerns(entry.touched, this.subscription)) continue
      const isSame = entry.position === this.#cursor.position
      for (const mark of entry.after(isSame ? this.#cursor.place : -1, this.subscription)) {
        if (mark.event) text += mark.event.text(texts, grew)
        if (mark.event) events++
        this.#cursor = { position: entry.position, place: mark.place }
        isMore = text.length >= TEXT_LENGTH_MAX || ++marks >= MARKS_MAX
        if (isMore) break steps
      }
      this.#cursor = { position: entry.position, place: END }
      isMore = ++marks >= MARKS_MAX
      if (isMore) break
    }
    this.source.countSent(events)
    if (!isMore) this.#rest()
    return (text === '' || this.#write(text)) && isMore
  }

  /** Notes that everything was sent. */
  #rest(): void {
    this.#state = 'idle'
    this.#isHeldUp = false
  }

  /** Writes; reports whether there is room for more. */
  #write(text: string): boolean {
    if (this.sink.write(text)) return true
    this.#isHeldUp = true
    if (this.#state !== 'ended') this.#state = 'blocked'
    return false
  }

  /** Counts the bytes that wait while the sink has no room. */
  #wait(entry: Entry): void {
    const { ring, texts } = this.source
    for (const { event } of entry.after(-1, this.subscription)) {
      if (!event) continue
      event.text(texts, (bytes) => ring.grew(bytes))
      this.#waitingBytes += event.bytes
      if (this.#waitingBytes > WAITING_BYTES_MAX) break
    }
    if (this.#waitingBytes > WAITING_BYTES_MAX) this.#tooSlow()
  }

  #end(isSlow: boolean): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.source.left(this, isSlow)
  }

  #tooSlow(): void {
    this.#end(true)
    this.sink.write(this.source.texts.slow())
    this.sink.end()
  }
}
