import type { Config } from '~/config.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { FileRules } from '~/file/observations.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { implausibleIn } from '~/service/recording/plausibility.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'

type Circumstances = {
  readonly acceptsAll: boolean
  readonly nowMs: number
  readonly added?: Catalogue
}

/** The rules of `POST /rates` for rows that are recorded from a file, at `nowMs`. */
export async function rowRules(
  config: Config,
  database: Database,
  { acceptsAll, nowMs, added }: Circumstances,
): Promise<FileRules> {
  const loaded = await createCatalogueStore(database).load()
  const catalogue = new CatalogueIndex({
    ...loaded,
    currencies: [...loaded.currencies, ...(added?.currencies ?? [])],
    providers: [...loaded.providers, ...(added?.providers ?? [])],
  })
  const rules = { catalogue, nowMs, defaultEffectiveMs: nowMs }
  if (acceptsAll) return rules
  const implausible = implausibleIn(
    { referencesAt: (probes) => referencesAt(database, probes) },
    { ...config, anchors: catalogue.anchors },
  )
  return { ...rules, implausible }
}
