import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { CorridorError } from './corridor-error.ts'
import { TIMER_MS_MAX } from './patience.ts'

/** The longest event that is waited for; none of the service comes near it. */
const EVENT_LENGTH_MAX = 1_048_576

/** The id that a sign of life tells, so that the way back stays short where nothing happens. */
const ID = /^\d+-\d*$/

type Hearing = {
  readonly signal: AbortSignal | undefined
  /** The longest time for which nothing may come, in milliseconds; null for ever. */
  readonly silenceMsMax: number | null
  /** The service names how long to wait before the next connection, in milliseconds. */
  onRetry(ms: number): void
  /** A sign of life that is not an event. */
  onAlive(): void
}

/**
 * The events of one connection as they come. It ends where the service ends it, where it is lost,
 * where nothing came for too long, and where the signal is aborted; half an event at its end is
 * left out. Rejects for an event that is too long.
 */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  { signal, silenceMsMax, onRetry, onAlive }: Hearing,
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

/** An error for a response that is not of this service. */
export const strange = (what: string): CorridorError =>
  new CorridorError(`the address answered, but not as Corridor does; check the url: ${what}`, {
    code: 'unexpected_answer',
  })
