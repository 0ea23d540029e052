import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { Log } from '~/log.ts'
import type { Database } from '~/store/database.ts'
import type { Deterrents } from './people.ts'
import type { ShareMetrics } from './telemetry.ts'
import type { Pace } from './upstream/stopping.ts'

export type ServiceOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Open and migrated; closed by the service's `stop`. */
  readonly database: Database
  /** What a demonstration says of its data; null for real data. */
  readonly sample: string | null
  /** Where connectors find secrets by name. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** How feeds are asked; where it is not given, as the real world goes. */
  readonly pace?: Pace
  /** The addresses of a host that alerts are posted to; where it is not given, by the system. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>
  /** What holds up who guesses passwords; where it is not given, what a service needs. */
  readonly deterrents?: Deterrents
  /** Makes of a process's own metrics those that a scrape is told. */
  readonly shareMetrics?: ShareMetrics
}
