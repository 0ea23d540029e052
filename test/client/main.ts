import { join, resolve } from 'node:path'
import { answerable } from '../http/questions.ts'
import { ROOT } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { builtClient } from './build.ts'

/** Builds the client into a folder: the given one, or `dist`, which is packed. */
const folder = resolve(process.argv[2] ?? join(ROOT, 'dist'))

try {
  const document = await documentOf(answerable().app)
  const { script, types } = await builtClient(document, await scratchFolder())
  await Bun.write(join(folder, 'client.js'), script)
  await Bun.write(join(folder, 'client.d.ts'), types)
} finally {
  await removeScratch()
}
