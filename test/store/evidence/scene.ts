import { type Checkpoint, checkpointIn, type SealPass } from '~/evidence/checkpoint.ts'
import { noteText, privateKeyOf, signedBy } from '~/evidence/note.ts'
import type { Database } from '~/store/database.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { sealPass } from '~/store/evidence/seal.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { NOW_MS, observation } from '../samples.ts'

export const LOG_KEY = privateKeyOf(Buffer.alloc(32, 7))

const signed = async (text: string, name: string) =>
  noteText({ text, signatures: [signedBy(text, name, LOG_KEY)] })

/** Runs one pass, of a thousand leaves by default. */
export const seal = (database: Database, more: Partial<SealPass> = {}) =>
  sealPass(database, {
    leavesMax: 1000,
    nowMs: NOW_MS,
    origin: 'log.example',
    published: null,
    isBehind: false,
    ending: new AbortController().signal,
    signed,
    ...more,
  })

/** Runs passes until nothing is new; returns the number of leaves that they added. */
export async function sealAll(database: Database, more?: Partial<SealPass>): Promise<number> {
  let added = 0
  for (;;) {
    const sealed = await seal(database, more)
    added += sealed?.added ?? 0
    if (!sealed?.isMore) return added
  }
}

/** Each price has a time of its own, so that none replaces another. */
let seconds = 0

/** Records a commit of prices; `effectiveMs` is the time of the last one. */
export async function record(database: Database, ...rates: string[]) {
  const observations = rates.map((rate) =>
    observation({ rate, effectiveMs: NOW_MS + ++seconds * 1000 }),
  )
  const store = createObservationStore(database)
  const recording = await store.record({ observations, idempotency: null })
  const { ids } = recording as { ids?: readonly number[] | null }
  return { ids: [...(ids ?? [])], effectiveMs: NOW_MS + seconds * 1000 }
}

export const headOf = async (database: Database): Promise<Checkpoint> =>
  checkpointIn((await createLogStore(database).head())!.note)!
