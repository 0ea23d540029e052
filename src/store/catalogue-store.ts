import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Currency } from '~/domain/currency.ts'
import type { Provider } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import type { Database } from './database.ts'
import { NEWS_CHANNEL, newsPayload } from './news-channel.ts'
import { currencies, providers } from './schema.ts'

export type Catalogue = {
  readonly currencies: readonly Currency[]
  readonly providers: readonly Provider[]
}

export type CatalogueStore = {
  /** Every currency and provider, the inactive ones too, in no promised order. */
  load(): Promise<{ currencies: Currency[]; providers: Provider[] }>
  /**
   * Creates or replaces what is named, whole and all at once; what is not named stays. Of several
   * with one code or id the last counts. The numbers of those created or replaced.
   */
  apply(catalogue: Catalogue): Promise<{ currencies: number; providers: number }>
}

/** A statement takes 65,534 parameters, a provider ten of them. */
const STATEMENT_ROWS_MAX = 1000

export function createCatalogueStore(database: Database): CatalogueStore {
  const { db } = database
  return {
    async load() {
      const [allCurrencies, allProviders] = await Promise.all([
        db.select().from(currencies),
        db.select().from(providers),
      ])
      return { currencies: allCurrencies, providers: allProviders }
    },
    async apply(catalogue) {
      const newCurrencies = lastByName(catalogue.currencies, ({ code }) => code)
      const newProviders = lastByName(catalogue.providers, ({ id }) => id).map((provider) => ({
        ...provider,
        paymentMethods: provider.paymentMethods && [...provider.paymentMethods],
      }))
      await db.transaction(async (tx) => {
        for (const rows of chunks(newCurrencies))
          await tx
            .insert(currencies)
            .values(rows)
            .onConflictDoUpdate({ target: currencies.code, set: allExcluded(currencies) })
        for (const rows of chunks(newProviders))
          await tx
            .insert(providers)
            .values(rows)
            .onConflictDoUpdate({ target: providers.id, set: allExcluded(providers) })
        const news = newsPayload(database, { kind: 'catalogue' })
        await tx.execute(sql`select pg_notify(${NEWS_CHANNEL}, ${news})`)
      })
      return { currencies: newCurrencies.length, providers: newProviders.length }
    },
  }
}

/** The last row of each name, by name: two processes lock rows in one order. */
function lastByName<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
  const last = new Map(rows.map((row) => [nameOf(row), row]))
  return [...last].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row)
}

function* chunks<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += STATEMENT_ROWS_MAX)
    yield rows.slice(start, start + STATEMENT_ROWS_MAX)
}

/** `set` of an upsert that replaces the whole row. */
function allExcluded(table: PgTable): Record<string, SQL> {
  const columns = Object.entries(getTableColumns(table))
  return Object.fromEntries(
    columns.map(([property, { name }]) => [property, sql`excluded.${sql.identifier(name)}`]),
  )
}
