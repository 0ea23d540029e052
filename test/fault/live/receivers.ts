import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { ask } from '../answer.ts'
import { lifeOf } from '../load.ts'
import type { Scene } from '../scene.ts'
import { ALERTED, PROVIDER } from '../world.ts'
import { crossings, type Firing, firingFaults, type Gap, unseen } from './crossings.ts'
import type { Story } from './story.ts'

const API = '/api/v1'
const WAIT_MS = 15_000
const RETRY_MS = 120
/** Interval between prices; every second one is above the threshold. */
const PACE_MS = 250
const THRESHOLD = 150
const [LOW, HIGH] = [100, 200]
/**
 * The latest arrival of a due delivery: a failed attempt is repeated after a minute, and the third
 * attempt comes up to 36 seconds after the second.
 */
const LATE_MS_MAX = 120_000
const POLL_MS = 100
/** A claim of this age belongs to a dead process: no receiver takes half as long. */
const CLAIMED_SECONDS = 3
const LEASE_SECONDS = 60
const SHOWN_MAX = 3

/** Behaviour of a receiver: `flaky` fails each first attempt, `slow` delays its response. */
const MANNERS = ['good', 'flaky', 'slow'] as const
const SLOW_MS = 1_000

type Manner = (typeof MANNERS)[number]

type Receiver = {
  readonly manner: Manner
  readonly firings: Firing[]
  readonly tried: Set<string>
  readonly faults: string[]
  alertId: string
  secret: string
}

/** Messages of all receivers together. */
export type Received = {
  /** Deliveries, some of which are attempts of one firing. */
  readonly deliveries: number
  readonly fired: number
  readonly lost: readonly string[]
  /** Crossings that no process could see, because of a clock change. */
  readonly unseen: number
  readonly doubled: number
  readonly faults: readonly string[]
}

/** Receivers of alerts, and the prices that trigger them. */
export class Receivers {
  readonly #receivers: readonly Receiver[]
  readonly #server: Bun.Server<undefined>
  #isOver = false
  #count = 0
  #pricing: Promise<void> = Promise.resolve()

  private constructor(
    private readonly scene: Scene,
    private readonly story: Story,
  ) {
    this.#receivers = MANNERS.map((manner) => ({
      ...{ manner, firings: [], tried: new Set<string>(), faults: [] },
      ...{ alertId: '', secret: '' },
    }))
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => this.#receive(request),
    })
  }

  /** Resolves when every alert is created and prices have begun to cross its threshold. */
  static async open(scene: Scene, story: Story): Promise<Receivers> {
    const receivers = new Receivers(scene, story)
    // Every fault creates its alerts with one account, which may create a few an hour.
    await scene.admin.sql`delete from portal_attempts`
    await receivers.#record(LOW)
    for (const receiver of receivers.#receivers) await receivers.#create(receiver)
    receivers.#pricing = receivers.#price()
    return receivers
  }

  /** Stops recording prices that cross. */
  async calm(): Promise<void> {
    this.#isOver = true
    await this.#pricing
  }

  /**
   * Waits until all crossings were delivered, or too long; the story has to be complete. Crossings
   * that begin and end within a gap may be missing. In a small run the minutes until another
   * attempt pass at once.
   */
  async close(gaps: readonly Gap[], { isSmall }: { isSmall: boolean }): Promise<Received> {
    const deadline = performance.now() + LATE_MS_MAX
    const excused = new Set(unseen(this.#watched, gaps).map(({ rate }) => rate))
    const lostOf = (one: Receiver) => this.#faultsOf(one).lost.filter((rate) => !excused.has(rate))
    const isLacking = () => this.#receivers.some((one) => lostOf(one).length > 0)
    while (isLacking() && performance.now() < deadline) {
      if (isSmall) await this.#hurry()
      await delay(POLL_MS)
    }
    for (const { alertId } of this.#receivers) await this.#ask(`/alerts/${alertId}`, null, 'DELETE')
    await this.#server.stop(true)
    const faults = this.#receivers.map((one) => ({
      ...{ ...this.#faultsOf(one), lost: lostOf(one), manner: one.manner },
    }))
    const strange = faults.flatMap((one) =>
      one.strange.map((value) => `${one.manner} received ${value}, which crossed nothing`),
    )
    const own = this.#receivers.flatMap((one) => one.faults.slice(0, SHOWN_MAX))
    return {
      deliveries: this.#receivers.reduce((sum, { firings }) => sum + firings.length, 0),
      fired: this.#wanted.length * this.#receivers.length,
      lost: faults.flatMap(({ lost, manner }) => lost.map((value) => `${manner}: ${value}`)),
      unseen: excused.size,
      doubled: faults.reduce((sum, { doubled }) => sum + doubled.length, 0),
      faults: [...own, ...strange.slice(0, SHOWN_MAX)],
    }
  }

  get #watched() {
    const { prices, before } = this.story
    return { prices, before, corridor: ALERTED, threshold: THRESHOLD }
  }

  get #wanted() {
    return crossings(this.#watched)
  }

  #faultsOf({ firings }: Receiver) {
    return firingFaults(this.#wanted, firings)
  }

  /** Makes failed deliveries due, and those that a dead process has claimed. */
  async #hurry(): Promise<void> {
    const claimedSeconds = LEASE_SECONDS - CLAIMED_SECONDS
    await this.scene.admin.sql`
      update alert_deliveries set next_at = 'epoch', claimed_until = null
      where status = 'waiting' and (next_at > 'epoch'
        or claimed_until < clock_timestamp() + ${claimedSeconds} * interval '1 second')`
  }

  async #create(receiver: Receiver): Promise<void> {
    const webhook = `http://127.0.0.1:${this.#server.port}/${receiver.manner}`
    const when = { field: 'best', op: 'above', value: THRESHOLD }
    const body = { corridor: ALERTED, when, to: { webhook }, name: receiver.manner }
    let answer = await this.#ask('/alerts', body)
    while (answer.status === 503) {
      await delay(RETRY_MS)
      answer = await this.#ask('/alerts', body)
    }
    if (answer.status !== 201)
      throw new Error(`an alert was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    receiver.alertId = answer.body.id
    receiver.secret = answer.body.secret
  }

  async #price(): Promise<void> {
    while (!this.#isOver) {
      this.#count += 1
      await this.#record((this.#count % 2 === 0 ? LOW : HIGH) + this.#count / 1000)
      await delay(PACE_MS)
    }
  }

  /** Records a price, with as many attempts as it takes. */
  async #record(rate: number): Promise<void> {
    const [from, to] = ALERTED.split('/')
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = [{ provider_id: PROVIDER, from, to, rate }]
    for (;;) {
      const { status } = await this.#ask('/rates', body, 'POST', headers)
      if (status === 201) return
      await delay(RETRY_MS)
    }
  }

  #ask(path: string, body: unknown, method = 'POST', headers = {}) {
    const { scene } = this
    return ask(API + path, {
      ...{ origin: scene.balancer.origin, clock: scene.clock, waitMs: WAIT_MS, method, headers },
      key: scene.template.keys.alerted.key,
      lifeOf: (name) => lifeOf(scene, name),
      ...(body !== null && { body }),
    })
  }

  async #receive(request: Request): Promise<Response> {
    const manner = new URL(request.url).pathname.slice(1)
    const receiver = this.#receivers.find((one) => one.manner === manner)
    if (!receiver) return new Response(null, { status: 404 })
    const id = request.headers.get('webhook-id') ?? ''
    const text = await request.text()
    if (!isSigned(receiver.secret, request.headers, text))
      receiver.faults.push(`${id} is not signed`)
    const isFirst = !receiver.tried.has(id)
    receiver.tried.add(id)
    if (manner === 'flaky' && isFirst) return new Response('not yet', { status: 500 })
    if (manner === 'slow') await delay(SLOW_MS)
    receiver.firings.push({ id, value: JSON.parse(text).data.value })
    return new Response(null, { status: 204 })
  }
}

/** Reports whether a message has a valid signature, whatever the receiver's clock. */
function isSigned(secret: string, headers: Headers, text: string): boolean {
  const at = new Date(Number(headers.get('webhook-timestamp')) * 1000)
  const own = new Webhook(secret).sign(headers.get('webhook-id') ?? '', at, text)
  return (headers.get('webhook-signature') ?? '').split(' ').includes(own)
}
