import type { Config } from '~/config.ts'
import type { AnswerSigner } from '~/http/evidence/signing.ts'
import type { Job } from '~/jobs/schedule.ts'
import { Sealer } from '~/jobs/seal.ts'
import { methodologyOf } from '~/portal/method/said-by.tsx'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import type { LogReader } from '~/service/evidence/log.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { sealPass } from '~/store/evidence/seal.ts'
import { once } from '~/store/once.ts'
import { orUnavailable } from '~/store/outage.ts'
import { counterOf, type Family, gauge } from '~/telemetry/families.ts'
import { answerSigner } from './answer-signer.ts'
import { LogKeys } from './log-keys.ts'
import { publishedIn } from './published.ts'
import { postToWitness } from './witness-post.ts'

const WORK = 'corridor log seal'
const AWAY = 'the database with the log cannot be reached at the moment; retry shortly'

type Deps = Pick<ServiceOptions, 'config' | 'database' | 'clock' | 'log'> & {
  readonly secret: SharedSecret
}

/** The verifiable log of this process: what seals it, what reads it, and its keys. */
export class Evidence {
  readonly keys: LogKeys
  readonly sealer: Sealer
  readonly routes: { readonly evidence: LogReader; readonly signer: AnswerSigner }

  constructor(deps: Deps) {
    const { config, database, clock, log } = deps
    this.keys = new LogKeys(deps)
    const store = createLogStore(database)
    this.sealer = new Sealer({
      store: { ...store, seal: sealing(deps, store) },
      alone: (work) => once(database, WORK, work),
      published: publishedIn(config.dataDir, store.server),
      signed: (text, name) => this.keys.signed(text, name),
      witnesses: config.witnesses,
      post: postToWitness,
      origin: originOfLog(config),
      everyMs: config.sealEveryMs,
      ...{ clock, log },
    })
    const logSize = () => this.sealer.head?.size ?? null
    this.routes = {
      evidence: boundedReader(store, () => this.sealer.nextMs),
      signer: answerSigner({ keys: this.keys, clock, logSize }),
    }
  }

  /** What this process knows of the log, and how its witnesses respond to it. */
  get metrics(): Family[] {
    const { sealer } = this
    return [
      gauge(['log_leaves', 'Leaves of the verifiable log'], () => sealer.head?.size ?? null),
      counterOf(
        [
          'log_cosignatures_total',
          'Requests for a cosignature that this process sent, by witness and outcome',
        ],
        () =>
          [...sealer.witnessCounts].flatMap(([witness, { signed, failed }]) => [
            [{ witness, outcome: 'signed' }, signed] as const,
            [{ witness, outcome: 'failed' }, failed] as const,
          ]),
      ),
    ]
  }

  get jobs(): readonly Job[] {
    return [this.sealer.job]
  }

  stop(): void {
    this.sealer.stop()
  }
}

/** Seals; before its first pass it notes the methodology, which is sealed as the catalogue is. */
function sealing({ config, database }: Deps, store: ReturnType<typeof createLogStore>) {
  let isNoted = false
  return async (pass: Parameters<typeof sealPass>[1]) => {
    if (!isNoted) await store.noteMethodology(methodologyOf(config))
    isNoted = true
    return sealPass(database, pass)
  }
}

/** The name of a log that was given none. */
export const originOfLog = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl === null ? 'localhost' : new URL(publicUrl).host

/** The log as requests read it: within their time, and 503 if the database is unreachable. */
function boundedReader(
  store: ReturnType<typeof createLogStore>,
  nextMs: () => number | null,
): LogReader {
  const bounded = <T>(work: Promise<T>) =>
    orUnavailable(inTime(work, { msMax: ANSWER_MS_MAX, message: AWAY }), AWAY)
  return {
    head: () => bounded(store.head()),
    sizeAt: (ms) => bounded(store.sizeAt(ms)),
    tile: (level, index, width) => bounded(store.tile(level, index, width)),
    entries: (index, width) => bounded(store.entries(index, width)),
    indexOf: (kind, id) => bounded(store.indexOf(kind, id)),
    has: (kind, id) => bounded(store.has(kind, id)),
    lastChange: (name) => bounded(store.lastChange(name)),
    entryAt: (index) => bounded(store.entryAt(index)),
    inclusion: (index, size) => bounded(store.inclusion(index, size)),
    nextMs,
  }
}
