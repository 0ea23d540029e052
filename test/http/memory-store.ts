import type { Observation, Recording } from '~/domain/observation.ts'
import type { IngestDeps } from '~/service/ingest.ts'

/** Keeps batches where a database would, so that a test can see what was recorded. */
export class MemoryStore {
  readonly recorded: Observation[] = []
  #ids = 1_000_000

  async record({ observations }: Parameters<IngestDeps['store']['record']>[0]): Promise<Recording> {
    this.recorded.push(...observations)
    return { kind: 'recorded', ids: observations.map(() => ++this.#ids) }
  }
}
