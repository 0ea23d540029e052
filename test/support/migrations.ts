import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Currency } from '~/domain/currency.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Database } from '~/store/database.ts'
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

/** Writes a catalogue as versions did that knew nothing of pegs. */
export async function applyWithoutPegs(
  { sql }: Pick<Database, 'sql'>,
  catalogue: { currencies: readonly Currency[]; providers: readonly Provider[] },
): Promise<void> {
  for (const { code, name, type, kind, isActive, sortOrder } of catalogue.currencies)
    await sql`insert into currencies (code, name, type, kind, is_active, sort_order)
      values (${code}, ${name}, ${type}, ${kind}, ${isActive}, ${sortOrder})`
  for (const { id, name, rateType, isActive } of catalogue.providers)
    await sql`insert into providers (id, name, rate_type, is_active)
      values (${id}, ${name}, ${rateType}, ${isActive})`
}
