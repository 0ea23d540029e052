import { type Clock, monotonicMs } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { Claim, SwitchedOff } from '~/domain/alert/claim.ts'
import { Deliverer, type Outcome } from '~/jobs/deliver.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import { systemOutside } from '~/outbound/connection.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import type { EndedBody } from '~/portal/alert/mail.ts'
import { mailerOf } from '~/portal/member/mailer.ts'
import { fingerprintsBy, type SharedSecret } from '~/runtime/shared-secret.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { createOutboxStore } from '~/store/alert/outbox-store.ts'
import type { Database } from '~/store/database.ts'
import { ageSeconds, counterOf, type Family, gauge, histogramOf } from '~/telemetry/families.ts'
import { Timings, WORK_BOUNDS_MS } from '~/telemetry/timings.ts'
import { tellers } from './tellers.ts'

type Options = {
  readonly config: Pick<Config, 'mailFrom' | 'publicUrl' | 'smtpUrl' | 'webhookAllow'>
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly secret: SharedSecret
  readonly sample: string | null
  readonly addressesOf?: ((host: string) => Promise<readonly string[]>) | undefined
}

/** Sends alerts, over HTTP and by email, until it is stopped. */
export class Deliveries {
  readonly figures: DeliveryFigures
  readonly #deliverer: Deliverer
  readonly #mailer: ReturnType<typeof mailerOf>

  constructor({ config, database, clock, log, secret, sample, addressesOf }: Options) {
    this.#mailer = mailerOf({ ...config, isSample: sample !== null })
    const { webhook, mail } = tellers({
      ...{ clock, log, secret, mailer: this.#mailer },
      home: config.publicUrl ?? '',
      fingerprint: fingerprintsBy(secret),
      alertOf: createAlertStore(database).known,
      sending: {
        ...systemOutside,
        ...(addressesOf && { addressesOf }),
        deadline: (ms) => AbortSignal.timeout(ms),
        allowed: allowedPlaces(config.webhookAllow),
      },
    })
    this.#deliverer = new Deliverer({
      ...{ clock, log, stopwatch: monotonicMs, random: Math.random },
      store: createOutboxStore(database),
      send: (claim, stop) =>
        claim.to.kind === 'mail' ? mail(claim, claim.to, stop) : webhook(claim, claim.to, stop),
      endingBody: (claim, ended, reason) =>
        this.#mailer && JSON.stringify(endedBody(claim, { ended, reason, nowMs: clock.now() })),
      note: (claim, outcome, ms) => this.figures.add(claim.to.kind, outcome, ms),
    })
    this.figures = new DeliveryFigures(this.#deliverer, clock)
  }

  get jobs(): readonly Job[] {
    return this.#deliverer.jobs
  }

  /** Looks for deliveries at once, instead of within a second. */
  readonly wake = (): void => this.#deliverer.wake()

  async stop(): Promise<void> {
    await this.#deliverer.stop()
    this.#mailer?.close()
  }
}

type Ending = { readonly ended: SwitchedOff; readonly reason: string; readonly nowMs: number }

const endedBody = ({ to }: Claim, { ended, reason, nowMs }: Ending): EndedBody => ({
  type: 'alert.ended',
  timestamp: new Date(nowMs).toISOString(),
  data: { address: to.kind === 'webhook' ? to.url : '', reason, ...ended },
})

const WAYS = ['webhook', 'mail'] as const
const OUTCOMES: readonly Outcome[] = ['done', 'failed', 'given_up']

type Way = (typeof WAYS)[number]

export class DeliveryFigures {
  readonly #timings = { webhook: new Timings(WORK_BOUNDS_MS), mail: new Timings(WORK_BOUNDS_MS) }
  readonly #counts = new Map<string, number>()

  constructor(
    private readonly deliverer: Pick<Deliverer, 'dueSinceMs' | 'underWay'>,
    private readonly clock: Clock,
  ) {}

  add(way: Way, outcome: Outcome, ms: number): void {
    this.#timings[way].add(ms)
    const name = `${way} ${outcome}`
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Failed attempts since the process started. */
  get failed(): number {
    let sum = 0
    for (const [name, count] of this.#counts) if (!name.endsWith(' done')) sum += count
    return sum
  }

  /** The longest wait of a due delivery; 0 if none is due. */
  get lateSeconds(): number {
    return ageSeconds(this.clock.now(), this.deliverer.dueSinceMs) ?? 0
  }

  get metrics(): Family[] {
    const each = WAYS.flatMap((way) => OUTCOMES.map((outcome) => ({ way, outcome })))
    return [
      counterOf(['alert_deliveries_total', 'Alert delivery attempts, by way and outcome'], () =>
        each.map(({ way, outcome }) => [
          { way, outcome },
          this.#counts.get(`${way} ${outcome}`) ?? 0,
        ]),
      ),
      histogramOf(['alert_delivery_duration_seconds', 'Time of an alert delivery attempt'], () =>
        WAYS.map((way) => [{ way }, this.#timings[way]]),
      ),
      gauge(['alert_deliveries_under_way', 'Attempts in progress'], () => this.deliverer.underWay),
      gauge(
        ['alert_deliveries_late_seconds', 'How long what is due has waited to be tried, at most'],
        () => this.lateSeconds,
      ),
    ]
  }
}
