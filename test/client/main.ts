import { join } from 'node:path'
import { answerable } from '../http/questions.ts'
import { ROOT } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { builtClient } from './build.ts'

/** Builds the client into `dist`, for whoever packs this package. */
const DIST = join(ROOT, 'dist')

try {
  const { script, types } = await builtClient(
    await documentOf(answerable().app),
    await scratchFolder(),
  )
  await Bun.write(join(DIST, 'client.js'), script)
  await Bun.write(join(DIST, 'client.d.ts'), types)
} finally {
  await removeScratch()
}
