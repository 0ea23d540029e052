import { GUARD_RULES } from '~/domain/feed/guard.ts'
import { ADAPTERS, type FeedName } from '~/feed/feeds.ts'
import { FeedService } from '~/runtime/upstream/feeds.ts'
import type { Database } from '~/store/database.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { fixture, Pace, startUpstream, type Upstream } from '../feed/upstream.ts'
import { KeptLog } from '../support/log.ts'
import { World } from '../support/world.ts'

export const HOUR_MS = 3_600_000
/** The hour of the recorded responses. */
export const AT = '2024-07-29T14:07:00.000Z'
export const CRON = '7 * * * *'

/** One replica: the whole service over memory, with its feeds, on a database. */
export class FeedScene {
  readonly world: World
  readonly service: FeedService
  readonly log = new KeptLog()
  readonly key: string

  constructor(database: Database, feeds: readonly FeedUpstream[], feedRules = GUARD_RULES) {
    this.world = new World({ at: AT, feedTimes: (nowMs) => this.service.nextMs(nowMs) })
    const { memory, clock } = this.world
    const config = {
      feeds: feeds.map(({ name, upstream }) => ({ name, url: upstream.origin, key: 'key' })),
      feedCron: CRON,
      feedMode: 'order' as const,
      feedRules,
    }
    const pace = new Pace(clock)
    const references = createReferenceStore(database)
    const served = async () =>
      memory.publish({ references: await references.live(clock.now()) }, clock.now())
    this.service = new FeedService({ config, clock, log: this.log, memory, database, served, pace })
    this.key = this.world.key('enterprise')
  }

  /**
   * Runs one turn of the schedule, an hour after the previous one; returns the message of a
   * failure.
   */
  async run(): Promise<string | null> {
    const failure = await this.service.run().then(
      () => null,
      (error: Error) => error.message,
    )
    this.pass(HOUR_MS)
    return failure
  }

  pass(ms: number): void {
    this.world.clock.advance(ms)
  }

  get = (path: string) => this.world.get(path, this.key)

  async status() {
    return (await this.get('/status')).body
  }

  /** The mid of a pair with its source and time, or the status of the failure. */
  async mid(from: string, to: string) {
    const { status, body } = await this.get(`/fetch-one?from=${from}&to=${to}`)
    return status === 200
      ? { rate: body.mid, source: body.source, at: body.fetched_at }
      : { status }
  }
}

export type FeedUpstream = {
  readonly name: FeedName
  readonly upstream: Upstream
  /** Body of its default response. */
  readonly body: string
}

/** Local upstreams that return the recorded responses of the real ones. */
export function feedUpstreams(names: readonly FeedName[]): Promise<FeedUpstream[]> {
  return Promise.all(
    names.map(async (name) => {
      const body = await fixture(`${name}.${ADAPTERS[name].format}`)
      return { name, body, upstream: startUpstream(() => new Response(body)) }
    }),
  )
}

export const well = ({ upstream, body }: FeedUpstream): void => {
  upstream.answer = () => new Response(body)
}

export const dead = ({ upstream }: FeedUpstream): void => {
  upstream.answer = () => new Response('down', { status: 503 })
}

/** Multiplies every rate by ten, except for the dollar's. */
export function lying({ upstream, body }: FeedUpstream): void {
  const lie = body.replace(/"([A-Z]{3})": ([\d.]+)/g, (whole, code, rate) =>
    code === 'USD' ? whole : `"${code}": ${Number(rate) * 10}`,
  )
  upstream.answer = () => new Response(lie)
}

/** Returns one rate as given, and the others as recorded. */
export function saying({ upstream, body }: FeedUpstream, code: string, rate: number): void {
  const said = body.replace(new RegExp(`"${code}": [\\d.]+`), `"${code}": ${rate}`)
  upstream.answer = () => new Response(said)
}

/** Makes the upstream accept requests without a response; `asked` resolves at the first request. */
export function hanging({ upstream }: FeedUpstream): { asked: Promise<void>; release(): void } {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Response>()
  upstream.answer = () => {
    asked.resolve()
    return answer.promise
  }
  return { asked: asked.promise, release: () => answer.resolve(new Response('late')) }
}
