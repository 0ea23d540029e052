import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database, Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { copyAll, copyIn } from '~/store/transfer/copy-in.ts'
import { currency } from '../../support/catalogue.ts'
import {
  CODES,
  COLUMNS,
  CORRIDORS,
  PER_USD,
  PROVIDERS,
  type Series,
  type Span,
  Story,
} from './market.ts'

export type Size = Span & {
  readonly rows: number
  /** The number of corridors with the full history; the others have only live prices. */
  readonly corridors: number
  readonly corridorsInAll: number
  /** From one reference of a currency to the next. */
  readonly referenceHours: number
}

type Part = { readonly name: string; readonly beforeMs: number }

/**
 * Fills an empty, migrated database as quickly as the server allows: months are copied frozen,
 * before there are indexes, without a log and without the triggers' checks.
 */
export async function fill(database: Database, size: Size, say: (line: string) => void) {
  const { sql } = database
  const currencies = CODES.map((code) => currency(code))
  await createCatalogueStore(database).apply({ currencies, providers: PROVIDERS })
  await beginCatalogue(sql)
  await fillReferences(sql, size)
  const series = await seriesIn(sql, size.corridorsInAll)
  const quoted = size.corridors * PROVIDERS.length
  const story = new Story(series, quoted, size.rows, size)
  await makeMonths(sql, size)
  const indexes = await dropIndexes(sql)
  for (const part of await parts(sql)) {
    await copyPart(sql, part, story)
    await rollUp(sql, part)
    say(`${part.name} is filled`)
  }
  await sql`select setval('observations_id_seq', ${story.count})`
  for (const statement of indexes) {
    say(statement.replace(/ (primary|using) .*/i, ''))
    await sql.begin(async (tx) => {
      await tx`set local maintenance_work_mem = '1GB'`
      await tx.unsafe(statement)
    })
  }
  await noteLongPrices(sql)
  await sql`vacuum (analyze) rollups, reference_rates, reference_snapshots`
  await sql`analyze`
}

/** Makes the catalogue as old as the history, as after an upgrade. */
const beginCatalogue = (sql: Sql) =>
  sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update catalogue_history set since = '-infinity'`
  })

/** Creates so many corridors with every provider; the series are in the order of corridors. */
async function seriesIn(sql: Sql, count: number): Promise<Series[]> {
  for (const { from, to } of CORRIDORS.slice(0, count))
    await sql`insert into corridors (source, target) values (${from}, ${to})`
  await sql`
    insert into provider_corridors (corridor_id, provider_id)
    select c.id, p.id from corridors c cross join providers p order by c.id, p.id`
  const rows = await sql<Series[]>`
    select p.id, p.corridor_id as "corridorId", p.provider_id as "providerId",
      c.source as "from", c.target as "to"
    from provider_corridors p join corridors c on c.id = p.corridor_id
    order by p.corridor_id, p.id`
  return [...rows]
}

/** Fills in the values of each currency over the span. */
async function fillReferences(sql: Sql, { nowMs, spanMs, referenceHours }: Size): Promise<void> {
  const [since, until] = [nowMs - spanMs, nowMs - 1].map(instantText)
  await sql`
    insert into reference_snapshots (source, fetched_at, recorded_at)
    select 'bench', at, at from generate_series(
      ${since!}::timestamptz, ${until!}, ${`${referenceHours} hours`}::interval) at`
  await sql`
    insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
    select fetched_at, id, code, round((per_usd * (1 +
      0.02 * sin(extract(epoch from fetched_at)::float8 / 360000 + ascii(code))))::numeric, 6)
    from reference_snapshots, unnest(
      ${arrayLiteral(CODES)}::text[], ${arrayLiteral(Object.values(PER_USD))}::float8[]
    ) said (code, per_usd)
    where code <> 'USD' order by id`
}

async function makeMonths(sql: Sql, { nowMs, spanMs }: Span): Promise<void> {
  await sql`select make_earlier_months(${instantText(nowMs - spanMs)}::timestamptz)`
}

/** The parts of the table, oldest first. */
async function parts(sql: Sql): Promise<Part[]> {
  const rows = await sql`
    select tree.relid::regclass::text as name, extract(epoch from (
        regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''([^'']+)')
      )[1]::timestamptz) * 1000 as before_ms
    from pg_partition_tree('observations') tree join pg_class c on c.oid = tree.relid
    where tree.isleaf order by before_ms nulls last`
  return rows.map(({ name, before_ms: beforeMs }) => {
    return { name, beforeMs: beforeMs === null ? Number.POSITIVE_INFINITY : Number(beforeMs) }
  })
}

/** Drops the indexes, and returns the statements that create them. */
async function dropIndexes(sql: Sql): Promise<string[]> {
  const indexes = await sql`
    select i.indexrelid::regclass::text as name, c.conname, pg_get_constraintdef(c.oid) as key,
      replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as made
    from pg_index i
    left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid
    where i.indrelid = 'observations'::regclass order by c.conname, name`
  for (const { name, conname } of indexes)
    await (conname
      ? sql`alter table observations drop constraint ${sql(conname)}`
      : sql`drop index ${sql(name)}`)
  return indexes.map(({ conname, key, made }) =>
    conname ? `alter table observations add constraint "${conname}" ${key}` : made,
  )
}

/** Writes the rows that the trigger would have written. */
const noteLongPrices = (sql: Sql) => sql`
  insert into long_prices
    (corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until)
  select corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
  from observations where valid_until > effective_from + interval '768 hours'`

/** A table that is emptied in the transaction of its COPY needs no log, nor a VACUUM after it. */
async function copyPart(sql: Sql, { name, beforeMs }: Part, story: Story): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx.unsafe(`truncate ${name}`)
    const copy = await copyIn(tx, `copy ${name} (${COLUMNS}) from stdin with (freeze)`)
    await copyAll(copy, pieces(story.until(beforeMs)), (lines) => copy.write(lines))
  })
}

async function* pieces<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values
}

const rollUp = (sql: Sql, { name }: Part) => sql`
  insert into rollups (corridor_id, hour, best_rate, samples, changed_at)
  select corridor_id, date_bin('1 hour', effective_from, 'epoch'), max(rate), count(*),
    max(recorded_at)
  from ${sql.unsafe(name)} group by 1, 2 order by 2, 1`
