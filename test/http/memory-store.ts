import type { Observation } from '~/domain/observation.ts'
import type { IngestDeps, Recording } from '~/service/ingest.ts'

/** Keeps batches where a database would, so that a test can see what was recorded. */
export class MemoryStore implements IngestDepsStore {
  readonly recorded: Observation[] = []
  #ids = 1_000_000

  async record({ observations }: { observations: readonly Observation[] }): Promise<Recording> {
    this.recorded.push(...observations)
    return { kind: 'recorded', ids: observations.map(() => ++this.#ids) }
  }
}

type IngestDepsStore = IngestDeps['store']
