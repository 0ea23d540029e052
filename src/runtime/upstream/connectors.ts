import { join } from 'node:path'
import type { Config } from '~/config.ts'
import type { Connector } from '~/connector/definition.ts'
import { connectorsIn } from '~/connector/folder.ts'
import { isWaiting } from '~/domain/feed/attempts.ts'
import { type ConnectorRecord, untriedConnector } from '~/domain/feed/connector.ts'
import type { Observation } from '~/domain/observation.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { type Job, lastInstantMs, type Schedule } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type IngestDeps, ingest } from '~/service/recording/ingest.ts'
import type { Database } from '~/store/database.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { type ConnectorDeps, type ConnectorReport, runConnector } from './connector-run.ts'
import { type Pace, Stopping } from './stopping.ts'

type ServiceDeps = Pick<ConnectorDeps, 'config' | 'clock' | 'database'> & {
  readonly memory: Memory
  /** Where prices are recorded, so that memory serves them at once. */
  readonly store: IngestDeps['store']
  readonly log: Log
  readonly env?: ConnectorDeps['env']
  readonly pace?: Pace
}

const JOB_NAME = 'run-connectors'
/** How often it is looked which connectors there are, and whether one is due. */
const LOOKS = '20 * * * * *'

/** The folder of the connectors. */
export const connectorFolder = ({ connectors, dataDir }: Config): string =>
  connectors ?? join(dataDir, 'connectors')

/** What is known of the runs of the connectors that are in the folder. */
export async function connectorRecords(config: Config, database: Database) {
  const found = await connectorsIn(connectorFolder(config))
  const names = found.flatMap(({ connector }) => connector?.name ?? [])
  return names.length > 0 ? createConnectorStore(database).load(names) : []
}

/** Runs the connectors that have a schedule, one after another, each on one replica at a time. */
export class ConnectorService {
  readonly #stopping = new Stopping()
  readonly #deps: ConnectorDeps
  /** What was logged of files that are not valid. */
  #told: ReadonlySet<string> = new Set()

  constructor(private readonly options: ServiceDeps) {
    const { env = {}, pace = systemPace, config } = options
    const folder = connectorFolder(config)
    const record = async (observations: readonly Observation[], via: string) => {
      const batch = { observations, origin: { recorder: null, via }, idempotency: null }
      const { inserted } = await ingest(options, batch)
      return { inserted, skipped: 0 }
    }
    const outside = { env, folder, pace: this.#stopping.paced(pace) }
    this.#deps = this.#stopping.guarded({ ...options, ...outside, record }, ['record'])
  }

  get jobs(): Job[] {
    return [{ name: JOB_NAME, pattern: LOOKS, run: () => this.run() }]
  }

  /** Runs what is due; a stop in the middle of it records nothing of what is not recorded yet. */
  run(): Promise<void> {
    return this.#stopping.run(() => this.#turn())
  }

  /** Makes up for a run that was missed. */
  start(schedule: Schedule): void {
    schedule.runNow(JOB_NAME)
  }

  /** Cancels what is being asked. */
  stop(): void {
    this.#stopping.stop()
  }

  async #turn(): Promise<void> {
    const { database, clock } = this.#deps
    const planned = (await this.#valid()).filter(({ schedule }) => schedule !== undefined)
    if (planned.length === 0) return
    const names = planned.map(({ name }) => name)
    const records = await createConnectorStore(database).load(names)
    for (const connector of planned) {
      const before = records.find(({ id }) => id === connector.name)
      const isDueNow = (record: ConnectorRecord) => isDue(connector, record, clock.now())
      if (!isDueNow(before ?? untriedConnector(connector.name))) continue
      const wish = { isDry: false, accepts: false, isDue: isDueNow }
      const report = await runConnector(this.#deps, connector, wish)
      if (!report) continue
      this.#tell(report, before?.isFailing ?? false)
      const { config, memory } = this.options
      memory.publish({ connectors: await connectorRecords(config, database) }, clock.now())
    }
  }

  /** The valid connectors; what is wrong with others is logged once. */
  async #valid(): Promise<Connector[]> {
    const found = await connectorsIn(this.#deps.folder)
    const valid = found.flatMap(({ connector }) => connector ?? [])
    const namesakes = valid.filter(({ name }, at) => valid.findIndex((v) => v.name === name) < at)
    const faults = [
      ...found.flatMap(({ file, faults }) => (faults[0] ? [`${file} ${faults[0]}`] : [])),
      ...namesakes.map(({ name }) => `two files are called ${name}`),
    ]
    for (const fault of faults)
      if (!this.#told.has(fault)) this.options.log.warn({}, `connectors: ${fault}`)
    this.#told = new Set(faults)
    return valid.filter(({ name }) => namesakes.every((other) => other.name !== name))
  }

  #tell({ record, inserted, error, prices }: ConnectorReport, wasFailing: boolean): void {
    const { log } = this.options
    const { id: connector } = record
    const refused = prices?.faults.length ?? 0
    if (error) {
      const { fault, message, excerpt } = error
      const about = { connector, fault, refused, ...(excerpt !== null && { excerpt }) }
      log.warn(about, `connector ${connector} ${message}: nothing was recorded`)
      return
    }
    const works = wasFailing ? 'works again' : 'ran'
    log.info({ connector, inserted, refused }, `connector ${connector} ${works}`)
  }
}

/**
 * Whether a run is due: at the last time of the schedule nobody had tried yet. A try in the future
 * was before a clock was set back.
 */
function isDue({ schedule, time_zone }: Connector, record: ConnectorRecord, nowMs: number) {
  const lastMs = lastInstantMs(schedule!, nowMs, time_zone)
  const triedMs = record.triedMs !== null && record.triedMs <= nowMs ? record.triedMs : 0
  return lastMs !== null && triedMs < lastMs && !isWaiting(record, nowMs)
}
