import { join } from 'node:path'
import { endTestCluster } from '../support/postgres.ts'
import { removeScratch } from '../support/scratch.ts'
import { recordedExamples } from './example-run.ts'

/** The file of examples that the OpenAPI document shows. */
export const EXAMPLES_FILE = join(import.meta.dir, '../../generated/examples.json')

if (import.meta.main) {
  try {
    await Bun.write(EXAMPLES_FILE, `${JSON.stringify(await recordedExamples(), null, 1)}\n`)
  } finally {
    await endTestCluster()
    await removeScratch()
  }
}
