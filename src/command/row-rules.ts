import { systemClock } from '~/clock.ts'
import type { FileRules } from '~/file/observations.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { implausibleIn } from '~/service/recording/plausibility.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'
import { configOf, type Terminal } from './terminal.ts'

/** The rules of `POST /rates` for rows that a command records now. */
export async function rowRules(
  terminal: Terminal,
  database: Database,
  { acceptsAll }: { acceptsAll: boolean },
): Promise<FileRules> {
  const nowMs = systemClock.now()
  const catalogue = new CatalogueIndex(await createCatalogueStore(database).load())
  const rules = { catalogue, nowMs, defaultEffectiveMs: nowMs }
  if (acceptsAll) return rules
  const implausible = implausibleIn(
    { referencesAt: (probes) => referencesAt(database, probes) },
    { ...configOf(terminal), anchors: catalogue.anchors },
  )
  return { ...rules, implausible }
}
