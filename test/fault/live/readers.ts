import { setTimeout as delay } from 'node:timers/promises'
import { Connection } from '~/client/connection.ts'
import type { StreamOptions } from '~/client/options.ts'
import type { Rules } from '../load.ts'
import type { Scene } from '../scene.ts'
import { type CallerName, CORRIDORS, LANES } from '../world.ts'
import type { Gap } from './crossings.ts'
import { Hearing, missing, newByHour, newest } from './hearing.ts'
import type { Price, Story } from './story.ts'

const BEGIN_MS_MAX = 15_000
/** The longest time that a reader may take after recovery to receive the last event. */
const LATE_MS_MAX = 10_000
const POLL_MS = 50
const SHOWN_MAX = 3

type Role = { readonly caller: CallerName; readonly corridors: readonly string[] | '*' }

const ROLES: readonly Role[] = [
  { caller: 'reader', corridors: '*' },
  { caller: 'reader', corridors: CORRIDORS },
  { caller: 'reader', corridors: LANES[0] },
  { caller: 'reader', corridors: LANES[1].slice(0, 1) },
  { caller: 'hourlyReader', corridors: CORRIDORS },
  { caller: 'hourlyReader', corridors: LANES[2] },
]

/** The client as programs use it: it reopens its stream after losing it. */
class Client extends Connection {
  stream(corridors: Role['corridors'], options: StreamOptions) {
    return this.events({ method: 'GET', path: '/stream', parameters: { corridors } }, options)
  }
}

type Reader = Role & { readonly hearing: Hearing }

/** Events of all readers together. */
export type Heard = {
  readonly events: number
  readonly missed: readonly string[]
  readonly doubled: number
  readonly resets: readonly string[]
  /** Number of times that a stream was reopened. */
  readonly resumed: number
  readonly faults: readonly string[]
}

/** Readers of streams through the balancer, whatever happens to the services. */
export class Readers {
  readonly #leaving = new AbortController()
  readonly #readers: readonly Reader[]
  readonly #listening: readonly Promise<void>[]

  private constructor(
    private readonly scene: Scene,
    private readonly story: Story,
  ) {
    this.#readers = ROLES.map((role) => ({ ...role, hearing: new Hearing() }))
    this.#listening = this.#readers.map((reader) => this.#listen(reader))
  }

  /** Resolves when every stream is open. */
  static async open(scene: Scene, story: Story): Promise<Readers> {
    const readers = new Readers(scene, story)
    const deadline = performance.now() + BEGIN_MS_MAX
    while (readers.#readers.some(({ hearing }) => hearing.beganAt === null)) {
      if (performance.now() > deadline) break
      await delay(POLL_MS)
    }
    return readers
  }

  /** Resets of the reader of all corridors. */
  get gaps(): readonly Gap[] {
    const all = this.#readers.filter(({ corridors }) => corridors === '*')
    return all.flatMap(({ hearing }) => hearing.resets)
  }

  /** Waits until the whole story was received, or too long, and ends the streams. */
  async close({ mayForget = false }: Pick<Rules, 'mayForget'>): Promise<Heard> {
    const deadline = performance.now() + LATE_MS_MAX
    while (this.#missed(mayForget).length > 0 && performance.now() < deadline) await delay(POLL_MS)
    const missed = this.#missed(mayForget)
    this.#leaving.abort()
    await Promise.all(this.#listening)
    const hearings = this.#readers.map(({ hearing }) => hearing)
    return {
      events: hearings.reduce((sum, { quotes }) => sum + quotes.length, 0),
      missed,
      doubled: hearings.reduce((sum, { doubled }) => sum + doubled, 0),
      resets: hearings.flatMap(({ resets }) => resets.map(({ reason }) => reason)),
      resumed: hearings.reduce((sum, { connections }) => sum + connections - 1, 0),
      faults: hearings.flatMap(({ faults }) => faults.slice(0, SHOWN_MAX)),
    }
  }

  async #listen({ caller, corridors, hearing }: Reader): Promise<void> {
    const { balancer, template } = this.scene
    const { signal } = this.#leaving
    const client = new Client({ url: balancer.origin, key: template.keys[caller].key })
    try {
      for await (const event of client.stream(corridors, { signal })) hearing.receive(event)
    } catch (error) {
      if (!signal.aborted) hearing.faults.push(`a stream failed: ${(error as Error).message}`)
    }
  }

  /** Lists the missed prices; an hour that the clock went back over counts for no reader. */
  #missed(mayForget: boolean): string[] {
    const { story } = this
    const live = newest(story)
    const byHour = mayForget ? [] : newByHour(story, story.hours)
    return this.#readers.flatMap(({ caller, corridors, hearing }) => {
      const wanted = caller === 'reader' ? live : byHour
      const subscribed = corridors === '*' ? null : corridors
      const missed = missing({ hearing, wanted, corridors: subscribed })
      const { beganAt, resets } = hearing
      const restarts = resets.map(({ after, upTo, reason }) => `${reason} ${after} to ${upTo}`)
      const since = `since ${[beganAt, ...restarts].join(', ')}`
      return missed.map((price) => `${caller} of ${corridors} missed ${wordsOf(price)} ${since}`)
    })
  }
}

const wordsOf = ({ position, corridor, rate }: Price): string =>
  `${corridor} ${rate} at ${position}`
