import type { Clock } from '~/clock.ts'
import type { Deliverer, Outcome } from '~/jobs/deliver.ts'
import { ageSeconds, counterOf, type Family, gauge } from '~/telemetry/families.ts'
import { Timings, WORK_BOUNDS_MS } from '~/telemetry/timings.ts'

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

  /** Tries that came to nothing since the process started. */
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
      {
        name: 'corridor_alert_delivery_duration_seconds',
        help: 'Time of an alert delivery attempt',
        type: 'histogram',
        read: () => WAYS.map((way) => [{ way }, this.#timings[way]]),
      },
      gauge(['alert_deliveries_under_way', 'Attempts in progress'], () => this.deliverer.underWay),
      gauge(
        ['alert_deliveries_late_seconds', 'How long what is due has waited to be tried, at most'],
        () => this.lateSeconds,
      ),
    ]
  }
}
