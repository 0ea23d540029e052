import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchFolder } from './scratch.ts'

const FOLDER = join(import.meta.dir, '../../drizzle')

/** The migrations as they were before `tag`. */
export async function folderBefore(tag: string): Promise<string> {
  const folder = await scratchFolder()
  await cp(FOLDER, folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8'))
  const at = journal.entries.findIndex((entry: { tag: string }) => entry.tag === tag)
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }))
  return folder
}
