import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { CorridorError } from './corridor-error.ts'
import { TIMER_MS_MAX } from './patience.ts'

/** The longest event accepted; the service sends none of nearly that length. */
const EVENT_LENGTH_MAX = 1_048_576

/** The id in a heartbeat, so that a reconnection has little to catch up on. */
const ID = /^\d+-\d*$/

type EventReading = {
  readonly signal: AbortSignal | undefined
  /** The longest silence, in milliseconds; null for no limit. */
  readonly silenceMsMax: number | null
  /** Receives the service's delay before the next connection, in milliseconds. */
  onRetry(ms: number): void
  /** Called for a heartbeat, which is not an event. */
  onAlive(): void
}

/**
 * The events of one connection as they arrive. It ends when the service ends it, the connection is
 * lost or silent for too long, or the signal is aborted; an incomplete event at its end is dropped.
 * Rejects for an event that is too long.
 */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  { signal, silenceMsMax, onRetry, onAlive }: EventReading,
): AsyncGenerator<EventSourceMessage, void, void> {
  const messages: EventSourceMessage[] = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: EVENT_LENGTH_MAX,
    onEvent: (message) => void messages.push(message),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded'
    },
    onRetry,
    onComment(text) {
      onAlive()
      messages.push({ id: ID.exec(text.trim())?.[0], data: '' })
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', leave)
  try {
    while (!signal?.aborted) {
      const { done, value } = await nextPiece(reader, silenceMsMax)
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* messages.splice(0)
      if (isTooLong) throw strange('it sent an event without an end')
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

type Piece = { readonly done: boolean; readonly value?: Uint8Array | undefined }

/** Returns the next piece. A connection that is lost or silent for too long counts as ended. */
async function nextPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  silenceMsMax: number | null,
): Promise<Piece> {
  const ended = { done: true } as const
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<Piece>((resolve) => {
    if (silenceMsMax === null) return
    timer = setTimeout(() => resolve(ended), Math.min(silenceMsMax, TIMER_MS_MAX))
  })
  try {
    return await Promise.race([reader.read().catch(() => ended), silence])
  } finally {
    clearTimeout(timer)
  }
}

/** An error for a response that is not Corridor's. */
export const strange = (what: string): CorridorError =>
  new CorridorError(`the address responded, but not as Corridor does; check the url: ${what}`, {
    code: 'unexpected_answer',
  })
