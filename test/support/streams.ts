import { HOUR_MS } from '~/domain/duration.ts'
import { Patience } from '~/http/edge/patience.ts'
import { BASE_PATH } from '~/http/path.ts'
import { OpenStreams } from '~/http/stream/open-streams.ts'
import { LiveMemory } from '~/memory/live/live.ts'
import type { Memory } from '~/memory/memory.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { StreamHub } from '~/service/stream/hub.ts'
import { type SlotStore, StreamSlots } from '~/service/stream/slots.ts'
import { StreamTokens } from '~/service/stream/tokens.ts'
import { streamTexts } from '~/wire/stream/text.ts'

type StreamWorld = {
  readonly memory: Memory
  readonly live?: LiveMemory
  readonly ageLimits?: AgeLimits
  readonly clock: { now(): number }
  readonly log?: { warn(context: object, message: string): void }
  readonly store?: SlotStore
  readonly openMax?: number
  /** Time for which the end of a response waits for its client; the server looks every four. */
  readonly endSeconds?: number | undefined
}

const AGE_LIMITS = { midMaxAgeMs: 72 * HOUR_MS, quoteMaxAgeMs: null, staleAfterMs: null }

/** The store of a single process. */
const alone: SlotStore = {
  take: async () => 0,
  free: async () => {},
  declare: async () => {},
}

/** The streams of a world without a database. */
export function worldStreams(world: StreamWorld) {
  const { memory, clock, live = new LiveMemory(memory), ageLimits: limits = AGE_LIMITS } = world
  const { store = alone, openMax = 1000, log = { warn() {} } } = world
  return {
    hub: new StreamHub({ live, limits, texts: streamTexts(BASE_PATH), now: () => clock.now() }),
    slots: new StreamSlots({ store, clock, log, openMax }),
    tokens: new StreamTokens(async () => 'a secret of all replicas'),
    open: new OpenStreams({ memory, clock }),
    patience: new Patience(world.endSeconds),
  }
}
