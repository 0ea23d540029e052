import { ALL_ROWS } from '~/store/archive/rows.ts'
import type { Database, TransactionSql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { oneByOne, saysCorridor } from '~/store/distributed/shape.ts'
import { inOneSnapshot, streamed } from '~/store/distributed/snapshot.ts'
import { announcedSpread } from '~/store/distributed/spread-changes.ts'
import { jsonIn } from '~/store/encoding.ts'
import { lastSealed } from '~/store/evidence/log-tree.ts'
import { announced, loggedNotification } from '~/store/notification-channel.ts'
import { keepLong } from '~/store/offer/long-prices.ts'
import { schemaVersion, versionOf } from '~/store/schema-version.ts'
import { type CopyIn, copyIn } from './copy-in.ts'
import { copyOut, inSnapshot } from './copy-out.ts'
import { firstLook } from './first-look.ts'
import { firstMonth, makeMonthsBefore } from './months-backup.ts'
import { linesIn, rowEstimate } from './row-count.ts'
import { NEWER_TABLES, TABLES, type Table } from './tables.ts'

/** A backup's description of itself, JSON in its first line. */
type Header = {
  readonly corridor: 1
  readonly schema: number
  /** Beginning of the months of observations; absent from versions without any. */
  readonly months?: string | null
}

/** The oldest schema that can be restored: later migrations only add tables and empty columns. */
const OLDEST = versionOf('0007_activity')

/** The line that ends the rows of a table; COPY's text format never produces it. */
const END = '\\.'
const ROWS_BYTES_MAX = 1_048_576

/**
 * Writes the whole database as of one time, without blocking other sessions: a line that describes
 * the backup, then for each table a line with its columns, rows as COPY writes them, and `\.`.
 * `reach` receives the rows written and the approximate total. Returns the rows written.
 */
export async function writeBackup(
  { sql }: Pick<Database, 'sql'>,
  write: (text: string | Uint8Array) => Promise<void>,
  reach: (rows: number, estimate: number) => void = () => {},
): Promise<{ tables: number; rows: number }> {
  const isSpread = await isDistributed(sql)
  return (isSpread ? inOneSnapshot : inSnapshot)(sql, async (tx) => {
    const names = TABLES.map(({ name }) => name)
    const [archived] = await tx`select 1 from archived_months limit 1`
    const estimate = await rowEstimate(tx, names)
    let rows = 0
    const writeRows = (bytes: Uint8Array) => {
      rows += linesIn(bytes)
      reach(rows, Math.max(rows, estimate))
      return write(bytes)
    }
    reach(rows, estimate)
    const header: Header = {
      corridor: 1,
      schema: await schemaVersion(tx),
      months: await firstMonth(tx),
    }
    await write(`${JSON.stringify(header)}\n`)
    for (const table of TABLES) {
      await write(`${JSON.stringify(table)}\n`)
      for (const source of isSpread
        ? await streamed(tx, table)
        : [`(${selected(table, !!archived)})`])
        await copyOut({ sql, tx }, `copy ${source} to stdout`, writeRows)
      await write(`${END}\n`)
    }
    return { tables: TABLES.length, rows }
  })
}

/** A file that cannot be restored, or a database not to be restored into; says what to do. */
export class RestoreFault extends Error {}

/**
 * Takes what `writeBackup` wrote, line by line, into a migrated database without any row of ours;
 * all of it, or nothing when it throws. Returns the number of rows.
 */
export async function restoreBackup(
  database: Database,
  lines: AsyncIterable<string>,
): Promise<number> {
  const isSpread = await isDistributed(database.sql)
  const look = await firstLook(lines, (read) => read.length > 0)
  const months = jsonIn<Header>(look.first[0] ?? '')?.months
  if (typeof months === 'string') await makeMonthsBefore(database, months)
  try {
    return await database.sql.begin(async (tx) => {
      if (isSpread) await oneByOne(tx)
      await assertEmpty(tx)
      await tx`set local corridor.restoring = 'on'`
      const restoring = new Restoring(tx, isSpread)
      const rows = await restored(restoring, look.all)
      await tx`${keepLong(database.sql, database.sql`observations`)}`
      await continueSequences(tx)
      await passGoneIds(tx)
      await tx`select begin_catalogue_history()`
      for (const kind of ['access', 'feeds', 'alerts'] as const)
        await tx`select ${announced(database, { kind })}`
      for (const kind of ['catalogue', 'references'] as const)
        await tx`${loggedNotification(database, kind)}`
      const added = database.sql`observations`
      const spread = isSpread && announcedSpread(database, { added, atText: null })
      await tx`${spread || loggedNotification(database, 'observations')}`
      return rows
    })
  } finally {
    await look.close()
  }
}

async function restored(restoring: Restoring, lines: AsyncIterable<string>): Promise<number> {
  try {
    for await (const line of lines) await restoring.take(line)
    return restoring.finish()
  } catch (error) {
    await restoring.abort(error as Error)
    throw error
  }
}

class Restoring {
  #rows = 0
  #isBegun = false
  #schema = 0
  #isOlder = false
  #tablesLeft = 0
  #copy: CopyIn | null = null
  #pending = ''

  constructor(
    private readonly tx: TransactionSql,
    /** Reports whether rows of a corridor go to a worker, and so have to say the corridor. */
    private readonly isSpread: boolean,
  ) {}

  async take(line: string): Promise<void> {
    if (!this.#isBegun) await this.#begin(line)
    else if (this.#copy === null) await this.#open(line)
    else if (line === END) await this.#close(this.#copy)
    else await this.#add(line, this.#copy)
  }

  finish(): number {
    if (this.#copy !== null || this.#tablesLeft > 0)
      throw new RestoreFault('the file is cut off: nothing was restored')
    return this.#rows
  }

  async abort(error: Error): Promise<void> {
    await this.#copy?.abort(error)
  }

  async #begin(line: string): Promise<void> {
    const header = jsonIn<Header>(line)
    if (header?.corridor !== 1) throw new RestoreFault('the file is not a backup of corridor')
    const current = await schemaVersion(this.tx)
    const { schema } = header
    if (schema !== current && !(schema >= OLDEST && schema < current))
      throw new RestoreFault(
        'the backup is of another schema: restore it with the version that made it, then migrate',
      )
    this.#schema = schema
    this.#isOlder = schema < current
    this.#tablesLeft = TABLES.filter((table) => this.#has(table)).length
    this.#isBegun = true
  }

  async #open(line: string): Promise<void> {
    const said = jsonIn<Table>(line)
    const table = TABLES.find((one) => one.name === said?.name && this.#has(one))
    const columns = table && this.#columnsOf(table, said)
    if (!columns || JSON.stringify({ name: table.name, columns }) !== line)
      throw new RestoreFault(
        'the file is damaged: a line does not name a table; nothing was restored',
      )
    if (this.isSpread && !saysCorridor({ ...table, columns }))
      throw new RestoreFault(
        'the backup is of an older version: restore it into a database that is not distributed, ' +
          'and either distribute that or restore a backup of that; nothing was restored',
      )
    this.#copy = await copyIn(this.tx, `copy ${copied({ ...table, columns })} from stdin`)
  }

  #has({ name }: Table): boolean {
    return (NEWER_TABLES.get(name) ?? 0) <= this.#schema
  }

  /** The columns of a table in this backup: all of them, or those that an older schema had. */
  #columnsOf({ columns }: Table, said: Table | null): readonly string[] {
    return this.#isOlder ? columns.filter((name) => said?.columns?.includes(name)) : columns
  }

  async #add(line: string, copy: CopyIn): Promise<void> {
    this.#rows++
    this.#pending += `${line}\n`
    if (this.#pending.length >= ROWS_BYTES_MAX) await this.#write(copy)
  }

  async #write(copy: CopyIn): Promise<void> {
    const text = this.#pending
    this.#pending = ''
    await copy.write(text)
  }

  async #close(copy: CopyIn): Promise<void> {
    if (this.#pending !== '') await this.#write(copy)
    await copy.finish()
    this.#copy = null
    this.#tablesLeft--
  }
}

async function assertEmpty(tx: TransactionSql): Promise<void> {
  for (const { name } of TABLES) {
    const rows = await tx`select 1 from ${tx(name)} limit 1`
    if (rows.length > 0)
      throw new RestoreFault(
        `the database has data (in ${name}): restore into an empty one; nothing was changed`,
      )
  }
}

async function continueSequences(tx: TransactionSql): Promise<void> {
  for (const { name, columns } of TABLES) {
    if (!columns.includes('id')) continue
    await tx`
      select setval(sequence, (select max(id::text::bigint) from ${tx(name)}))
      from pg_get_serial_sequence(${name}, 'id') sequence
      where sequence is not null and exists (select 1 from ${tx(name)})`
  }
}

/** Gives no new observation the id of one that was withdrawn, or is gone but sealed or uploaded. */
async function passGoneIds(tx: TransactionSql): Promise<void> {
  const sealed = await lastSealed(tx, 'observation')
  await tx`
    select setval('observations_id_seq', last) from (
      select greatest(${sealed}::bigint, (select max(id) from withdrawals),
        (select max(one) from uploads, unnest(ids) one)) as last
    ) gone, observations_id_seq given
    where last > case when given.is_called then given.last_value else 0 end`
}

/** Copies a partitioned table as a query, the only way; archived observations become rows. */
const selected = ({ name, columns }: Table, isArchived: boolean): string =>
  isArchived && name === 'observations'
    ? ALL_ROWS
    : `select "${columns.join('", "')}" from "${name}"`

const copied = ({ name, columns }: Table): string => `"${name}" ("${columns.join('", "')}")`
