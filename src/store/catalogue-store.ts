import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Catalogue } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import { assertPegs, currencyOf, currencyRow } from './currency-row.ts'
import type { Database, Tx } from './database.ts'
import { isDistributed } from './distributed/distribution.ts'
import { withNotedActivity } from './distributed/noted-activity.ts'
import { NOTIFICATION_CHANNEL, notificationPayload } from './notification-channel.ts'
import { currencies, providerActivity, providers } from './schema.ts'

/** The most rows in one statement, which takes 65,534 parameters, ten for each provider. */
const STATEMENT_ROWS_MAX = 1000

export function createCatalogueStore(database: Database) {
  const { db } = database
  return {
    load: (): Promise<Required<Catalogue>> =>
      db.transaction(
        async (tx) => ({
          currencies: (await tx.select().from(currencies)).map(currencyOf),
          providers: await tx.select().from(providers),
          activity: await tx
            .select({ providerId, isActive, sinceMs })
            .from(providerActivity)
            .orderBy(providerActivity.since, providerActivity.id),
        }),
        { isolationLevel: 'repeatable read', accessMode: 'read only' },
      ),
    /**
     * Creates or replaces the entries given, all at once, and returns their number; other entries
     * stay. Among entries with one code or id the last counts. The database itself records what is
     * switched on or off. Throws CatalogueFault, and applies nothing, if a peg is impossible.
     */
    async apply(catalogue: Catalogue) {
      const newCurrencies = lastByName(catalogue.currencies, ({ code }) => code).map(currencyRow)
      const newProviders = lastByName(catalogue.providers, ({ id }) => id).map((provider) => ({
        ...provider,
        paymentMethods: provider.paymentMethods && [...provider.paymentMethods],
      }))
      const isNoted = !(await isDistributed(database.sql))
      await db.transaction(async (tx) => {
        const write = () => written(tx, { currencies: newCurrencies, providers: newProviders })
        await (isNoted ? write() : withNotedActivity(tx, write))
        await assertPegs(tx)
        const notification = notificationPayload(database, { kind: 'catalogue' })
        await tx.execute(sql`select pg_notify(${NOTIFICATION_CHANNEL}, (${notification}::jsonb
          || jsonb_build_object('position', log_change('catalogue', null, null)))::text)`)
      })
      return { currencies: newCurrencies.length, providers: newProviders.length }
    },
  }
}

/** The catalogue as a row of the log of changes has it: the rows of its tables by their columns. */
export type LoggedCatalogue = {
  readonly currencies: readonly LoggedRow[]
  readonly providers: readonly LoggedRow[]
  readonly activity: readonly LoggedRow[]
}

type LoggedRow = Readonly<Record<string, unknown>>

/** The catalogue of a row of the log, as `load` gave it at the time. */
export const catalogueOf = (logged: LoggedCatalogue): Required<Catalogue> => ({
  currencies: logged.currencies.map((row) => currencyOf(rowOf(currencies, row))),
  providers: logged.providers.map((row) => rowOf(providers, row)),
  activity: logged.activity.map((row) => {
    const { providerId, isActive, since } = rowOf(providerActivity, row)
    return { providerId, isActive, sinceMs: Number(since) }
  }),
})

const rowOf = <T extends PgTable>(table: T, row: LoggedRow) =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([property, { name }]) => [property, row[name]]),
  ) as T['$inferSelect']

const { providerId, isActive, since } = providerActivity
const sinceMs = sql<number>`(extract(epoch from ${since}) * 1000)::float8`

type Rows = {
  readonly currencies: (typeof currencies.$inferInsert)[]
  readonly providers: (typeof providers.$inferInsert)[]
}

async function written(tx: Tx, rows: Rows): Promise<void> {
  for (const values of chunks(rows.currencies))
    await tx
      .insert(currencies)
      .values(values)
      .onConflictDoUpdate({ target: currencies.code, set: othersExcluded(currencies) })
  for (const values of chunks(rows.providers))
    await tx
      .insert(providers)
      .values(values)
      .onConflictDoUpdate({ target: providers.id, set: othersExcluded(providers) })
}

/** The last row of each name, by name, so that all processes lock rows in one order. */
function lastByName<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
  const last = new Map(rows.map((row) => [nameOf(row), row]))
  return [...last].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row)
}

function* chunks<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += STATEMENT_ROWS_MAX)
    yield rows.slice(start, start + STATEMENT_ROWS_MAX)
}

/**
 * The `set` of an upsert that replaces everything but the key. With the key, PostgreSQL would lock
 * out inserts that refer to the row, such as observations of new corridors; both could deadlock.
 */
function othersExcluded(table: PgTable): Record<string, SQL> {
  const columns = Object.entries(getTableColumns(table)).filter(([, { primary }]) => !primary)
  return Object.fromEntries(
    columns.map(([property, { name }]) => [property, sql`excluded.${sql.identifier(name)}`]),
  )
}
