import type { Clock } from '~/clock.ts'
import { Patience } from '~/http/edge/patience.ts'
import { BASE_PATH } from '~/http/path.ts'
import { OpenStreams } from '~/http/stream/open-streams.ts'
import type { StreamDeps } from '~/http/stream/stream-deps.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Live } from '~/memory/live/live.ts'
import type { Memory } from '~/memory/memory.ts'
import type { AgeLimits } from '~/memory/view.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import { StreamHub } from '~/service/stream/hub.ts'
import { StreamSlots } from '~/service/stream/slots.ts'
import { StreamTokens } from '~/service/stream/tokens.ts'
import type { Database } from '~/store/database.ts'
import { createSlotStore } from '~/store/stream/slot-store.ts'
import { streamTexts } from '~/wire/stream/text.ts'

type StreamsOptions = {
  readonly config: AgeLimits & { readonly streamsMax: number }
  readonly clock: Clock
  readonly log: Log
  readonly database: Database
  readonly memory: Memory
  readonly live: Live
  readonly secret: SharedSecret
}

type Parts = StreamDeps['streams']

/** The streams of one process, and their dependencies. */
export class Streams implements Parts {
  readonly hub: StreamHub
  readonly slots: StreamSlots
  readonly tokens: StreamTokens
  readonly open: OpenStreams
  readonly patience = new Patience()

  constructor({ config, clock, log, database, memory, live, secret }: StreamsOptions) {
    const now = () => clock.now()
    const isSample = () => memory.isSample
    const texts = streamTexts(BASE_PATH)
    this.hub = new StreamHub({ live, limits: config, texts, now, isSample })
    const store = createSlotStore(database)
    this.slots = new StreamSlots({ store, clock, log, openMax: config.streamsMax })
    this.tokens = new StreamTokens(secret)
    this.open = new OpenStreams({ memory, clock })
  }

  /** Records the stream slots again, which a lost meter takes with it. */
  readonly jobs: readonly Job[] = [
    { name: 'declare-streams', pattern: '*/10 * * * * *', run: () => this.slots.declare() },
  ]

  /** Ends every stream and asks its client to connect elsewhere. */
  async stop(): Promise<void> {
    this.open.stop()
    this.hub.close()
    await this.slots.settled()
  }
}
