import { setTimeout as delay } from 'node:timers/promises'
import { Connection } from '~/client/connection.ts'
import { Hearing } from '../../fault/live/hearing.ts'
import type { Replica } from '../../fault/replica.ts'
import { CROWD, CROWD_TARGETS, LONELY, type Lone, pathOf, rowOf, type Scene } from './scene.ts'

const WAIT_MS = 20_000
const REST_MS = { crowd: 20, lonely: 100, live: 10, past: 30 } as const
const RETRY_MS = 100
const SHOWN_MAX = 5
const ERROR_SHOWN = 160

/** The response to a query or a batch of the load; 0 if there was none. */
export type Seen = {
  readonly kind: 'live' | 'past' | 'post'
  /** The port of the only worker that it needed; null if it needs none, or all of them. */
  readonly port: number | null
  readonly atMs: number
  readonly status: number
  readonly hasRetryAfter: boolean
  /** Error of a response that was not a success. */
  readonly error: string
}

/** The client as programs use it: it reopens its stream after losing it. */
class Client extends Connection {
  stream(signal: AbortSignal) {
    return this.events(
      { method: 'GET', path: '/stream', parameters: { corridors: '*' } },
      { signal },
    )
  }
}

/** Writers, readers and streams on every service, almost without pause. */
export class Load {
  readonly seen: Seen[] = []
  /** Responses that showed part of a batch, or took one back. */
  readonly halves: string[] = []
  /** Rates of batches that were acknowledged, and the newest that was sent. */
  readonly acknowledged = new Set<number>()
  sent: number
  /** The rates of the load are above it. */
  readonly base: number
  /** Acknowledged rows of each corridor that is written alone. */
  readonly lonely = new Map<string, number>()
  readonly hearings: readonly Hearing[]
  readonly #leaving = new AbortController()
  #isWriting = true
  #workers: Promise<void>[] = []
  #writers: Promise<void>[] = []

  constructor(private readonly scene: Scene) {
    this.base = scene.rate
    this.sent = scene.rate
    this.hearings = scene.services.map(() => new Hearing())
    this.#workers = [
      ...scene.services.map((service) => this.#readLive(service)),
      ...scene.services.map((service, i) => this.#listen(service, this.hearings[i]!)),
      this.#readPast(),
    ]
    this.#writers = [this.#writeCrowd(), ...scene.lone.map((one) => this.#writeLonely(one))]
  }

  /** Ends writing, once every started batch is acknowledged, or after a while. */
  async calm(msMax: number): Promise<void> {
    this.#isWriting = false
    await Promise.race([Promise.all(this.#writers), delay(msMax)])
  }

  async stop(): Promise<void> {
    this.#leaving.abort()
    await Promise.all(this.#workers)
  }

  get #isOver(): boolean {
    return this.#leaving.signal.aborted
  }

  async #writeCrowd(): Promise<void> {
    while (this.#isWriting) {
      const rate = ++this.sent
      const rows = CROWD_TARGETS.map((target) => rowOf(CROWD, target, rate))
      await this.#post(rows, { key: `crowd-${rate}`, port: null })
      this.acknowledged.add(rate)
      await delay(REST_MS.crowd)
    }
  }

  async #writeLonely({ target, node }: Lone): Promise<void> {
    for (let rate = this.base + 1; this.#isWriting; rate++) {
      const rows = [rowOf(LONELY, target, rate)]
      await this.#post(rows, { key: `${target}-${rate}`, port: node.port })
      this.lonely.set(target, rate)
      await delay(REST_MS.lonely)
    }
  }

  /** Sends a batch again and again, to one service after the other, until it is acknowledged. */
  async #post(rows: object[], { key, port }: { key: string; port: number | null }): Promise<void> {
    for (let i = 0; ; i++) {
      const service = this.scene.services[(key.length + i) % 2]!
      const headers = { 'content-type': 'application/json', 'idempotency-key': key }
      const init = { method: 'POST', headers, body: JSON.stringify(rows) }
      const { status } = await this.#ask(service, '/rates', { kind: 'post', port, init })
      if (status === 201 || this.#isOver) return
      await delay(RETRY_MS)
    }
  }

  async #readLive(service: Replica): Promise<void> {
    let last = { rate: 0, life: 0 }
    while (!this.#isOver) {
      const { life } = service
      const { status, text } = await this.#ask(service, '/corridors', { kind: 'live', port: null })
      const rates = status === 200 ? ratesIn(text) : []
      const [rate = 0] = rates
      const what = `service ${service.name}, ${new Date().toISOString()}: ${[...new Set(rates)]}`
      if (status === 200 && rates.length !== CROWD_TARGETS.length) this.#half(`${what}, too few`)
      if (rates.some((other) => other !== rate)) this.#half(what)
      if (status === 200 && life === last.life && rate < last.rate)
        this.#half(`${what} after ${last.rate}`)
      if (status === 200) last = { rate, life }
      await delay(REST_MS.live)
    }
  }

  #half(what: string): void {
    if (this.halves.length < SHOWN_MAX) this.halves.push(what)
  }

  async #readPast(): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const { services, lone } = this.scene
      const { target, node } = lone[i % lone.length]!
      const path = `/rates/history?${pathOf(target)}&limit=5&order=desc`
      await this.#ask(services[i % 2]!, path, { kind: 'past', port: node.port })
      await delay(REST_MS.past)
    }
  }

  async #listen({ origin }: Replica, hearing: Hearing): Promise<void> {
    const { signal } = this.#leaving
    const client = new Client({ url: origin, key: this.scene.key })
    try {
      for await (const event of client.stream(signal)) hearing.receive(event)
    } catch (error) {
      if (!signal.aborted) hearing.faults.push(`a stream failed: ${(error as Error).message}`)
    }
  }

  async #ask(
    { origin }: Replica,
    path: string,
    { kind, port, init = {} }: Pick<Seen, 'kind' | 'port'> & { init?: RequestInit },
  ): Promise<{ status: number; text: string }> {
    const headers = { ...(init.headers as object), 'x-api-key': this.scene.key }
    const signal = AbortSignal.timeout(WAIT_MS)
    try {
      const answer = await fetch(`${origin}/api/v1${path}`, { ...init, headers, signal })
      const text = await answer.text()
      const { status } = answer
      const hasRetryAfter = answer.headers.has('retry-after')
      const error = answer.ok ? '' : text.slice(0, ERROR_SHOWN)
      this.seen.push({ kind, port, atMs: performance.now(), status, hasRetryAfter, error })
      return { status, text }
    } catch (reason) {
      const error = (reason as Error).message
      this.seen.push({
        kind,
        port,
        atMs: performance.now(),
        status: 0,
        hasRetryAfter: false,
        error,
      })
      return { status: 0, text: '' }
    }
  }
}

/** The rates of the corridors that one batch sets together. */
export function ratesIn(text: string): number[] {
  const { corridors } = JSON.parse(text) as { corridors: { to: string; best_rate: number }[] }
  return corridors.filter(({ to }) => CROWD_TARGETS.includes(to)).map((one) => one.best_rate)
}
