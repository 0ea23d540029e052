import { Follower } from '~/jobs/follower.ts'
import type { Log } from '~/log.ts'
import { LiveMemory } from '~/memory/live/live.ts'
import type { Memory } from '~/memory/memory.ts'
import type { Spread } from '~/runtime/distributed/spread.ts'
import { recorderOf } from '~/runtime/recorder.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { KeptLog } from './log.ts'
import { UNWATCHED } from './unwatched-recording.ts'

type Followed = {
  readonly memory: Memory
  readonly clock: { now(): number }
  readonly live?: LiveMemory
  readonly log?: Log
  /** The database's several servers. */
  readonly spread?: Pick<Spread, 'quotes' | 'whole'> | null
}

/** What applies the log of a database to a memory, as `serve` does. */
export function followerOn(database: Database, followed: Followed): Follower {
  const { memory, clock, live = new LiveMemory(memory), log = new KeptLog(), spread } = followed
  const references = createReferenceStore(database)
  return new Follower({
    ...{ memory, live, clock, log, references, days: references },
    changes: createChangeStore(database),
    catalogue: createCatalogueStore(database),
    quotes: { ...createQuoteStore(database), ...spread?.quotes },
    whole: spread?.whole ?? null,
  })
}

const WORK = { historyMax: 4, ingestMax: 4, waitingMax: 100 }

/** The store by which a process records, as `serve` puts it together. */
export const recorderOn = (
  database: Database,
  { follower, clock }: { readonly follower: Follower; readonly clock?: { now(): number } },
) =>
  recorderOf({
    ...UNWATCHED,
    observations: createObservationStore(database, clock),
    withdrawals: createWithdrawalStore(database),
    days: createReferenceStore(database),
    tracing: null,
    work: WORK,
    follower,
  })
