import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '~/store/database.ts'
import type { Scene } from '../scene.ts'

const READ_MS = 500

/** A recorded price, from the log of changes. */
export type Price = {
  readonly position: number
  readonly id: number
  readonly corridor: string
  readonly rate: number
  readonly effectiveMs: number
}

/** The beginning of an hour, from the log of changes. */
export type Hour = { readonly position: number; readonly ms: number }

type Row = {
  readonly position: number
  readonly kind: string
  readonly at_ms: number
  readonly id: number | null
  readonly corridor: string
  readonly rate: string
  readonly effective_ms: number
}

type Priced = Omit<Row, 'kind' | 'at_ms'>

/** Content of the database's log of changes, read as it grows, since it is pruned. */
export class Story {
  readonly prices: Price[] = []
  readonly hours: Hour[] = []
  #isOver = false
  #following: Promise<void> = Promise.resolve()

  private constructor(
    private readonly scene: Scene,
    /** Position up to which it was read. */
    private position: number,
    /** The newest price of each corridor when it began. */
    readonly before: readonly Price[],
  ) {}

  /** Begins after the current end of the log. */
  static async begin(scene: Scene): Promise<Story> {
    const { sql } = scene.admin
    const [row] = await sql<{ position: number | null }[]>`
      select max(position) as position from changes`
    const position = row?.position ?? 0
    const rows = await sql<Priced[]>`
      select distinct on (corridor_id) ${position}::bigint as position, o.id, o.rate,
        extract(epoch from o.effective_from)::float8 * 1000 as effective_ms,
        c.source || '/' || c.target as corridor
      from observations o join corridors c on c.id = o.corridor_id
      order by corridor_id, o.effective_from desc, o.id desc`
    const story = new Story(scene, position, rows.map(priceOf))
    story.#following = story.#follow()
    return story
  }

  /** Reads the rest of it; nothing is recorded any more. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#following
    await this.#read(this.scene.admin.sql)
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      // The database may be unreachable; missed rows are read later.
      await this.#read(this.scene.admin.sql).catch(() => {})
      await delay(READ_MS)
    }
  }

  async #read(sql: Sql): Promise<void> {
    const rows = await sql<Row[]>`
      select changes.position, kind, extract(epoch from at)::float8 * 1000 as at_ms,
        o.id, o.rate, extract(epoch from o.effective_from)::float8 * 1000 as effective_ms,
        c.source || '/' || c.target as corridor
      from changes
      left join observations o on o.id = any(changes.ids) and kind = 'observations'
      left join corridors c on c.id = o.corridor_id
      where changes.position > ${this.position}
      order by changes.position, o.id`
    for (const row of rows) {
      const { position, kind, at_ms } = row
      if (kind === 'hour') this.hours.push({ position, ms: Math.round(at_ms) })
      if (row.id !== null) this.prices.push(priceOf(row))
    }
    this.position = rows.at(-1)?.position ?? this.position
  }
}

const priceOf = ({ position, id, corridor, rate, effective_ms }: Priced): Price => ({
  ...{ position, id: id!, corridor, rate: Number(rate), effectiveMs: Math.round(effective_ms) },
})
