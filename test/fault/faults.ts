import type { Fault } from './fault.ts'
import { boundaries } from './faults/boundaries.ts'
import { clockJump } from './faults/clock-jump.ts'
import { connectionsExhausted } from './faults/connections-exhausted.ts'
import { databaseGone } from './faults/database-gone.ts'
import { databaseHung } from './faults/database-hung.ts'
import { databaseRestarted } from './faults/database-restarted.ts'
import { databaseSlow } from './faults/database-slow.ts'
import { deadConnections } from './faults/dead-connections.ts'
import { diskFull } from './faults/disk-full.ts'
import { failover } from './faults/failover.ts'
import { migration } from './faults/migration.ts'
import { overload } from './faults/overload.ts'
import { partition } from './faults/partition.ts'
import { revokedKey } from './faults/revoked-key.ts'
import { rollingRestart } from './faults/rolling-restart.ts'
import { serviceKilled } from './faults/service-killed.ts'

/**
 * Failures with a scene of their own come last, except for those of the clock, which spoil theirs.
 */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'database-gone': databaseGone,
  'database-hung': databaseHung,
  'database-slow': databaseSlow,
  'database-restarted': databaseRestarted,
  'connections-exhausted': connectionsExhausted,
  partition,
  'dead-connections': deadConnections,
  'service-killed': serviceKilled,
  'rolling-restart': rollingRestart,
  migration,
  'revoked-key': revokedKey,
  overload,
  boundaries,
  'clock-jump': clockJump,
  'disk-full': diskFull,
  failover,
}

/** Reports whether `asked` names a fault, by its short name or by the name in the table. */
export const isChosen = (asked: readonly string[], name: string): boolean =>
  asked.some((one) => isNameOf(one, name))

/** Names in `asked` that are not failures. */
export const unknownNames = (asked: readonly string[]): string[] =>
  asked.filter((one) => !Object.keys(FAULTS).some((name) => isNameOf(one, name)))

const isNameOf = (asked: string, name: string): boolean =>
  [name, FAULTS[name]!.name].includes(asked.trim().toLowerCase())
