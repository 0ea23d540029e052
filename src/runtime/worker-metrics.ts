import { merged } from '~/telemetry/merged.ts'
import type { ShareMetrics } from './telemetry.ts'

/** A worker's first message, sent once it responds. */
export const READY = 'ready'

/**
 * Messages between a supervisor and its workers about metrics. A scrape reaches any one worker,
 * which asks the supervisor for the metrics of all; the supervisor asks each worker and returns the
 * total.
 */
type Message =
  | { readonly say: 'all?' | 'own?'; readonly id: number }
  | { readonly say: 'all' | 'own'; readonly id: number; readonly text: string }

/** The longest time that a worker may take for its metrics; its readiness may take a second. */
const OWN_MS_MAX = 1500
/** The longest time that a scrape may wait. */
const ALL_MS_MAX = 2500

const LABEL = 'worker'

export type Peer = { send(message: Message): void }

/** Pending replies, by the number of their request. */
class Expected {
  readonly #waiting = new Map<number, (text: string) => void>()
  #count = 0

  /** The reply to a request; rejects if none arrives in time. */
  async reply(ask: (id: number) => void, msMax: number): Promise<string> {
    const id = ++this.#count
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#waiting.set(id, resolve)
    const timer = setTimeout(() => reject(new Error('the metrics did not come in time')), msMax)
    try {
      ask(id)
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  came(id: number, text: string): void {
    this.#waiting.get(id)?.(text)
  }
}

/** The supervisor's side, which knows all workers by the number of their place. */
export class MetricsOfAll {
  readonly #expected = new Expected()

  constructor(private readonly peers: () => ReadonlyMap<string, Peer>) {}

  /** Takes a message from a worker; messages about other things are ignored. */
  receive(message: unknown, from: Peer): void {
    if (!isMessage(message)) return
    if (message.say === 'own') this.#expected.came(message.id, message.text)
    if (message.say !== 'all?') return
    const { id } = message
    void this.#all()
      .then((text) => from.send({ say: 'all', id, text }))
      .catch(gone)
  }

  async #all(): Promise<string> {
    const texts = new Map<string, string>()
    const asked = [...this.peers()].map(async ([place, peer]) => {
      const ask = (id: number) => peer.send({ say: 'own?', id })
      texts.set(place, await this.#expected.reply(ask, OWN_MS_MAX))
    })
    await Promise.allSettled(asked)
    if (texts.size === 0) throw new Error('no worker reported its metrics in time')
    return merged(LABEL, new Map([...texts].sort(([a], [b]) => Number(a) - Number(b))))
  }
}

/** A worker's side: `own` are its own metrics, sent on demand; a scrape gets those of all. */
export function metricsOfAllBy(
  supervisor: Peer & { onMessage(receive: (message: unknown) => void): void },
): ShareMetrics {
  const expected = new Expected()
  return (own) => {
    supervisor.onMessage((message) => {
      if (!isMessage(message)) return
      const { say, id } = message
      if (say === 'all') expected.came(id, message.text)
      if (say === 'own?')
        void own
          .text()
          .then((text) => supervisor.send({ say: 'own', id, text }))
          .catch(gone)
    })
    return {
      contentType: own.contentType,
      text: () => expected.reply((id) => supervisor.send({ say: 'all?', id }), ALL_MS_MAX),
    }
  }
}

/** Leaves a request without a reply, if its process has ended or there is nothing to say. */
const gone = () => {}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'say' in value
