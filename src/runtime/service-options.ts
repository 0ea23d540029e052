import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { Log } from '~/log.ts'
import type { Database } from '~/store/database.ts'
import type { Deterrents } from './people/ways-in.ts'
import type { ShareMetrics } from './telemetry.ts'
import type { Pace } from './upstream/stopping.ts'

export type ServiceOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Open and migrated; closed by the service's `stop`. */
  readonly database: Database
  /** Notice of a demonstration about its data; null for real data. */
  readonly sample: string | null
  /** Environment in which connectors find secrets by name. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Pace of requests to feeds; by default that of the real world. */
  readonly pace?: Pace
  /** Resolves a host that alerts are posted to; by default the system does. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>
  /** Measures against guessing passwords; by default those that a service needs. */
  readonly deterrents?: Deterrents
  /** Turns a process's own metrics into those of a scrape. */
  readonly shareMetrics?: ShareMetrics
}
