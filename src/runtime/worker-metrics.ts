import { merged } from '~/telemetry/merged.ts'
import type { ShareMetrics } from './telemetry.ts'

/** What a worker says first, once it answers. */
export const READY = 'ready'

/**
 * What a supervisor and its workers say to each other about metrics. A scrape reaches one worker,
 * any of them: it wants those of all from the supervisor, who asks each and answers with the whole.
 */
type Message =
  | { readonly say: 'all?' | 'own?'; readonly id: number }
  | { readonly say: 'all' | 'own'; readonly id: number; readonly text: string }

/** A worker that takes longer to say its own is left out; whether it is ready takes it a second. */
const OWN_MS_MAX = 1500
/** Longer than that a scrape is not kept waiting. */
const ALL_MS_MAX = 2500

const LABEL = 'worker'

export type Peer = { send(message: Message): void }

/** Answers that are waited for, by the number of their question. */
class Expected {
  readonly #waiting = new Map<number, (text: string) => void>()
  #count = 0

  /** What comes in reply to a question; rejects when nothing does in time. */
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

/** The supervisor's side: knows all workers by the number of their place. */
export class MetricsOfAll {
  readonly #expected = new Expected()

  constructor(private readonly peers: () => ReadonlyMap<string, Peer>) {}

  /** What a worker said; whatever is not about metrics is left alone. */
  hear(message: unknown, from: Peer): void {
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
    return merged(LABEL, new Map([...texts].sort(([a], [b]) => Number(a) - Number(b))))
  }
}

/** A worker's side: `own` are its own, told on demand; what it tells a scrape are those of all. */
export function metricsOfAllBy(
  supervisor: Peer & { onMessage(hear: (message: unknown) => void): void },
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

/** Who has ended meanwhile needs no answer. */
const gone = () => {}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'say' in value
