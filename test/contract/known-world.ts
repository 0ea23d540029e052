import type { Currency } from '~/domain/currency.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Spread } from '~/runtime/distributed/spread.ts'
import type { Database } from '~/store/database.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { PastWorld } from '../support/past-world.ts'

/** Time by which the hand clock is ahead of the server's, which no test can set. */
const AHEAD_MS = DAY_MS

/** The first time of the hand clock, to repeat the histories of an earlier run. */
const START = process.env.KNOWN_START

/** Makes the histories of a database use a clock that a test sets. */
async function withClock({ sql }: Database, startMs: number, isSpread: boolean): Promise<void> {
  await sql`create table test_clock as select ${new Date(startMs).toISOString()}::timestamptz as at`
  if (isSpread) await sql`select create_reference_table('test_clock')`
  await sql.unsafe(`create or replace function recording_time() returns timestamptz
    language sql as 'select at from public.test_clock'`)
}

/**
 * A service whose clock a test sets, together with that of the database's histories. Rows that
 * commands record by the server's clock, which is earlier, are dated again.
 */
export class KnownWorld {
  currencies = new Map<string, Currency>(CURRENCIES.map((one) => [one.code, one]))
  providers = new Map<string, Provider>(PROVIDERS.map((one) => [one.id, one]))
  /** The ids of observations that are not withdrawn. */
  ids: number[] = []
  /** The rows that were posted. */
  rows: { readonly [name: string]: unknown }[] = []

  /**
   * Says whether something took longer than its seconds, on a busy machine: then it may be recorded
   * later, although by the hand clock it is not late.
   */
  isOverdue = false

  private constructor(
    readonly world: PastWorld,
    private readonly startMs: number,
  ) {}

  static async start(database: Database, spread: Spread | null = null): Promise<KnownWorld> {
    const startMs = START
      ? Date.parse(START)
      : Math.ceil((Date.now() + AHEAD_MS) / HOUR_MS) * HOUR_MS - 30 * 60_000
    await withClock(database, startMs, spread !== null)
    const at = new Date(startMs).toISOString()
    const past = new PastWorld(database, {
      at,
      staleAfterMs: 7 * DAY_MS,
      quoteSuspectPct: 10,
      spread,
    })
    return new KnownWorld(await past.start(), startMs)
  }

  get nowMs(): number {
    return this.world.clock.now()
  }

  /**
   * Prevents commits from counting as late, for a clock that is never set back, on a busy machine.
   */
  async neverLate(): Promise<void> {
    const { sql } = this.world.database
    await sql`create rule no_late_commits as on insert to late_commits do instead nothing`
  }

  async advance(ms: number): Promise<void> {
    this.world.clock.advance(ms)
    const at = new Date(this.nowMs).toISOString()
    await this.world.database.sql`update test_clock set at = ${at}::timestamptz`
  }

  /** Records rows; those of a switched off provider or currency are refused. */
  async post(rows: readonly { readonly [name: string]: unknown }[]): Promise<void> {
    const { status, body } = await this.world.post(rows)
    if (status === 503) this.isOverdue = true
    if (status !== 201) return
    this.ids.push(...body.ids)
    this.rows.push(...rows)
  }

  async withdraw(ids: readonly number[]): Promise<void> {
    const withdrawal = { observations: ids, reason: 'a mistake' }
    const { status } = await this.world.send('/rates/withdrawals', withdrawal)
    if (status === 503) this.isOverdue = true
    this.ids = this.ids.filter((id) => !ids.includes(id))
  }

  async feed(perUsd: Readonly<Record<string, number>>, agoMs: number): Promise<void> {
    const { clock, follower, database } = this.world
    const rates = Object.entries(perUsd).map(([currency, rate]) => ({
      currency,
      perUsd: String(rate),
    }))
    const snapshot = { source: 'feed', fetchedMs: clock.now() - agoMs, rates }
    await createReferenceStore(database, clock).append(snapshot)
    await follower.caughtUp()
  }

  async importReference(currency: string, perUsd: string, agoMs: number): Promise<void> {
    const row = { source: 'feed', currency, perUsd, fetchedMs: this.nowMs - agoMs }
    await importReferences({ database: this.world.database, rows: one([row]) })
    await this.#dated()
  }

  async importRows(rows: readonly Observation[]): Promise<void> {
    await importObservations({ database: this.world.database, rows: one(rows) })
    await this.#dated()
  }

  async catalogue(change: { currencies?: Currency[]; providers?: Provider[] }): Promise<void> {
    const { currencies = [], providers = [] } = change
    for (const entry of currencies) this.currencies.set(entry.code, entry)
    for (const entry of providers) this.providers.set(entry.id, entry)
    await this.world.apply({ currencies, providers })
  }

  /** Replaces the server's times in recorded rows with the hand clock's, and loads them. */
  async #dated(): Promise<void> {
    const at = new Date(this.nowMs).toISOString()
    const start = new Date(this.startMs).toISOString()
    await this.world.database.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`update rollups r set changed_at = ${at}::timestamptz from observations o
        where o.corridor_id = r.corridor_id and o.recorded_at < ${start}::timestamptz
          and r.hour = date_bin('1 hour', o.effective_from, 'epoch')`
      for (const table of ['observations', 'reference_snapshots'])
        await tx`update ${tx(table)} set recorded_at = ${at}::timestamptz
          where recorded_at < ${start}::timestamptz`
      await tx`delete from late_commits where said_at < ${start}::timestamptz`
      await tx`update changes set known_at = null where at < ${start}::timestamptz`
    })
    await this.world.follower.lose()
  }
}

async function* one<T>(rows: readonly T[]) {
  yield rows
}
