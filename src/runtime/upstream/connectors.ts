import { join } from 'node:path'
import type { Config } from '~/config.ts'
import { connectorsIn } from '~/connector/folder.ts'
import { type Connector, hostOf } from '~/connector/schema.ts'
import { failed, isWaiting, ranBefore } from '~/domain/feed/attempts.ts'
import { type ConnectorRecord, untriedConnector } from '~/domain/feed/connector.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Observation } from '~/domain/observation.ts'
import { restMsAfter } from '~/domain/source/turn.ts'
import { systemPace } from '~/feed/fetcher.ts'
import type { Follower } from '~/jobs/follower.ts'
import { inTurn } from '~/jobs/in-turn.ts'
import { type Job, lastInstantMs } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type IngestDeps, ingest } from '~/service/recording/ingest.ts'
import type { Database } from '~/store/database.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { type ConnectorDeps, type ConnectorReport, runConnector } from './connector-run.ts'
import { sourceStoreOf } from './sources.ts'
import { type Pace, Stopping } from './stopping.ts'

type ServiceDeps = Pick<ConnectorDeps, 'config' | 'clock' | 'database'> & {
  readonly memory: Memory
  /** Store of prices, so that memory serves them at once. */
  readonly store: IngestDeps['store']
  readonly follower: Pick<Follower, 'caughtUp'>
  readonly log: Log
  readonly env?: ConnectorDeps['env']
  readonly pace?: Pace
}

const HOSTS_AT_ONCE_MAX = 4
/** The pause between two connectors of one host. */
const PAUSE_MS = 250
const LOOKS = '20 * * * * *'

export const connectorFolder = ({ connectors, dataDir }: Config): string =>
  connectors ?? join(dataDir, 'connectors')

/** State of the connectors in the folder; a file that is not valid counts as one that fails. */
export async function connectorRecords(config: Config, database: Database, nowMs: number) {
  const found = await connectorsIn(connectorFolder(config))
  const names = found.map(({ file, connector }) => connector?.name ?? idOf(file))
  const records = names.length > 0 ? await createConnectorStore(database).load(names) : []
  const known = new Map(records.map((record) => [record.id, record]))
  for (const { file, faults } of found)
    if (faults[0] !== undefined) {
      const before = known.get(idOf(file)) ?? untriedConnector(idOf(file))
      const failure = new FeedError('misconfigured', `is not valid: ${file} ${faults[0]}`)
      const { triedMs } = before
      known.set(before.id, { ...before, ...failed(failure, nowMs), triedMs, excerpt: null })
    }
  return [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const idOf = (file: string): string => file.replace(/\.ya?ml$/, '')

/** Runs the connectors that have a schedule, one after another, each on one replica at a time. */
export class ConnectorService {
  readonly #stopping = new Stopping()
  readonly #deps: ConnectorDeps
  /** Names of the valid files, and logged errors of the others. */
  #shown: ReadonlySet<string> = new Set()

  constructor(private readonly options: ServiceDeps) {
    const { env = {}, pace = systemPace, config } = options
    const folder = connectorFolder(config)
    const record = async (observations: readonly Observation[], via: string) => {
      const batch = { observations, origin: { recorder: null, via }, idempotency: null }
      const { inserted } = await ingest(options, batch)
      return { inserted, skipped: 0 }
    }
    const { addEntries } = sourceStoreOf(options.database, {
      record: async () => {},
      publish: () => {},
      served: () => options.follower.caughtUp(),
    })
    const outside = { env, folder, pace: this.#stopping.paced(pace) }
    const deps = { ...options, ...outside, record, addEntries }
    this.#deps = this.#stopping.guarded(deps, ['record', 'addEntries'])
  }

  get jobs(): Job[] {
    const run = () => this.run()
    return [{ name: 'run-connectors', pattern: LOOKS, isAtStart: true, run }]
  }

  /** Runs due connectors; a stop in the middle of a run records nothing more. */
  run(): Promise<void> {
    return this.#stopping.run(() => this.#turn())
  }

  stop(): void {
    this.#stopping.stop()
  }

  async #turn(): Promise<void> {
    const planned = (await this.#valid()).filter(({ schedule }) => schedule !== undefined)
    if (planned.length === 0) return
    const names = planned.map(({ name }) => name)
    const records = await createConnectorStore(this.#deps.database).load(names)
    const due = planned.filter((connector) =>
      isDue(connector, recordOf(connector, records), this.#deps.clock.now()),
    )
    const hosts = Map.groupBy(due, (connector) => hostOf(connector) ?? connector.name)
    await inTurn([...hosts.values()], HOSTS_AT_ONCE_MAX, (host) => this.#runEach(host))
  }

  /** Runs the connectors of one host, one after another. */
  async #runEach(connectors: readonly Connector[]): Promise<void> {
    const { clock, pace } = this.#deps
    for (const [at, connector] of connectors.entries()) {
      if (at > 0) await pace.sleep(PAUSE_MS)
      let wasFailing = false
      const isStillDue = (record: ConnectorRecord) => {
        wasFailing = record.isFailing
        return isDue(connector, record, clock.now())
      }
      const wish = { isDry: false, accepts: false, isDue: isStillDue }
      const report = await runConnector(this.#deps, connector, wish)
      if (!report) continue
      this.#tell(report, wasFailing)
      await this.#publish()
    }
  }

  async #publish(): Promise<void> {
    const { config, memory, database, clock } = this.options
    const nowMs = clock.now()
    memory.publish({ connectors: await connectorRecords(config, database, nowMs) }, nowMs)
  }

  /** The valid connectors; the errors of others are logged once. */
  async #valid(): Promise<Connector[]> {
    const found = await connectorsIn(this.#deps.folder)
    const valid = found.flatMap(({ connector }) => connector ?? [])
    const faults = found.flatMap(({ file, faults }) => (faults[0] ? [`${file} ${faults[0]}`] : []))
    for (const fault of faults)
      if (!this.#shown.has(fault)) this.options.log.warn({}, `connectors: ${fault}`)
    const before = this.#shown
    this.#shown = new Set([...faults, ...valid.map(({ name }) => name)])
    if (before.symmetricDifference(this.#shown).size > 0) await this.#publish()
    return valid
  }

  #tell({ record, inserted, error, prices }: ConnectorReport, wasFailing: boolean): void {
    const { log } = this.options
    const { id: connector } = record
    const refused = prices?.faults.length ?? 0
    const failure = error ?? prices?.unread
    if (failure) {
      const { fault, message, excerpt } = failure
      const about = { connector, fault, inserted, refused, ...(excerpt !== null && { excerpt }) }
      log.warn(about, `connector ${connector} ${message}: ${error ? NOTHING : ALL_BUT_ONE}`)
      return
    }
    const works = wasFailing ? 'works again' : 'ran'
    log.info({ connector, inserted, refused }, `connector ${connector} ${works}`)
  }
}

const NOTHING = 'nothing was recorded'
/** The end of an error of one file, without which the others were read. */
export const ALL_BUT_ONE = 'that file was left out'

const recordOf = ({ name }: Connector, records: readonly ConnectorRecord[]) =>
  records.find(({ id }) => id === name) ?? untriedConnector(name)

/**
 * Reports whether a run is due: at the last time of the schedule it had not been tried yet, or it
 * failed and has rested, as the upstream asks or as a bank would.
 */
function isDue({ schedule, time_zone }: Connector, record: ConnectorRecord, nowMs: number) {
  if (isWaiting(record, nowMs)) return false
  const lastMs = lastInstantMs(schedule!, nowMs, time_zone)
  const triedMs = ranBefore(record.triedMs, nowMs) ?? 0
  if (lastMs !== null && triedMs < lastMs) return true
  const restMs = record.waitUntilMs === null ? restMsAfter(record.failures) : 0
  return record.isFailing && nowMs - triedMs >= restMs
}
