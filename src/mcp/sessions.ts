import { armSseKeepAlive } from '@modelcontextprotocol/sdk/server/sseKeepAlive.js'
import { MINUTE_MS } from '~/domain/duration.ts'

export type Session = {
  readonly id: string
  readonly accountId: string
  /** When the session was last used; it counts as in use while a stream is open. */
  lastMs: number
  /** Ends the session's stream, if one is open. */
  endStream: (() => void) | null
}

export const SESSION_IDLE_MS = 30 * MINUTE_MS
export const SESSIONS_PER_ACCOUNT_MAX = 32
/**
 * A pause shorter than the time after which proxies, and our own listener, drop a silent
 * connection.
 */
const KEEP_ALIVE_MS = 15_000

/**
 * The sessions of all clients, by id; a client without one is served as well.
 *
 * Their number is bounded, for each account and for all. A session that nobody used for
 * `SESSION_IDLE_MS` is forgotten.
 */
export class Sessions {
  readonly #byId = new Map<string, Session>()
  readonly #counts = new Map<string, number>()

  constructor(private readonly sessionsMax: number) {}

  get size(): number {
    return this.#byId.size
  }

  get streams(): number {
    return [...this.#byId.values()].filter(({ endStream }) => endStream !== null).length
  }

  /** Opens a session, or answers null when there is no room for one. */
  open(accountId: string, nowMs: number): Session | null {
    this.prune(nowMs)
    const own = this.#counts.get(accountId) ?? 0
    if (this.size >= this.sessionsMax || own >= SESSIONS_PER_ACCOUNT_MAX) return null
    const session = { id: crypto.randomUUID(), accountId, lastMs: nowMs, endStream: null }
    this.#byId.set(session.id, session)
    this.#counts.set(accountId, own + 1)
    return session
  }

  /**
   * The account's session with that id, which counts as used; sessions of other accounts are not
   * found.
   */
  find({ id, accountId }: { id: string; accountId: string }, nowMs: number): Session | undefined {
    const session = this.#byId.get(id)
    if (session?.accountId !== accountId || isIdle(session, nowMs)) return undefined
    session.lastMs = nowMs
    return session
  }

  close(session: Session): void {
    session.endStream?.()
    if (!this.#byId.delete(session.id)) return
    const own = this.#counts.get(session.accountId)! - 1
    if (own > 0) this.#counts.set(session.accountId, own)
    else this.#counts.delete(session.accountId)
  }

  /** Forgets sessions that have been idle for too long. */
  prune(nowMs: number): void {
    for (const session of this.#byId.values()) if (isIdle(session, nowMs)) this.close(session)
  }

  closeAll(): void {
    for (const session of this.#byId.values()) this.close(session)
  }
}

const isIdle = ({ lastMs, endStream }: Session, nowMs: number): boolean =>
  endStream === null && nowMs - lastMs >= SESSION_IDLE_MS

/**
 * The stream on which a server may speak first. This server never does: it keeps the stream open
 * until the client goes away, a newer stream of the session takes its place, or the session ends.
 */
export function sessionStream(session: Session, now: () => number): ReadableStream<Uint8Array> {
  session.endStream?.()
  const encoder = new TextEncoder()
  let release = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (text: string) => controller.enqueue(encoder.encode(text))
      const timer = armSseKeepAlive(KEEP_ALIVE_MS, () => say(': still here\n\n'))
      const end = () => {
        release()
        controller.close()
      }
      release = () => {
        clearInterval(timer)
        if (session.endStream !== end) return
        session.endStream = null
        session.lastMs = now()
      }
      session.endStream = end
      say(': open\n\n')
    },
    cancel: () => release(),
  })
}
