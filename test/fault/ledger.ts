import type { Sql } from '~/store/database.ts'

/** One observation that a writer sent, with a unique note. */
export type Entry = {
  readonly corridor: string
  readonly seq: number
  readonly note: string
  /** The earliest and the latest time of the service's clock when it was recorded. */
  sinceMs: number
  untilMs: number
  /** The time when it was last sent. */
  latestMs: number
  /** Says whether it was sent again: a replica may then acknowledge another's recording. */
  isRetried: boolean
  /** By the machine's steady clock; null until a replica acknowledges it. */
  acknowledgedAt: number | null
  /** The replica that acknowledged it, and its run. */
  acknowledgedBy: string
}

/** Part of a corridor that a response shows. */
export type Sight = {
  readonly corridor: string
  /** The time when the request was sent, by the machine's steady clock. */
  readonly askedAt: number
  /** The replica that responded, and its run. */
  readonly answeredBy: string
  /** Nothing later is shown; Infinity for realtime. */
  readonly cutoffMs: number
  /** The time that other replicas may take to show what one has acknowledged. */
  readonly graceMs: number
}

const NOBODY = 'no replica'

export type Account = {
  readonly acknowledged: number
  readonly found: number
  readonly lost: readonly string[]
  readonly doubled: number
}

/**
 * Records as far as clients know them: everything sent, and everything acknowledged. Every response
 * and in the end the database itself are compared with it.
 */
export class Ledger {
  readonly #corridors = new Map<string, Entry[]>()
  #marks: ReadonlyMap<string, number> = new Map()

  constructor(
    corridors: readonly string[],
    private readonly sinceMs: number,
  ) {
    for (const corridor of corridors) this.#corridors.set(corridor, [this.#first(corridor)])
  }

  /** Notes an observation that is about to be sent. */
  send(corridor: string, nowMs: number): Entry {
    const entries = this.#corridors.get(corridor)!
    const seq = entries.length
    const note = `${corridor} ${seq}`
    const times = { sinceMs: nowMs, untilMs: Number.POSITIVE_INFINITY, latestMs: nowMs }
    const isRetried = false
    const entry = {
      corridor,
      seq,
      note,
      ...times,
      isRetried,
      acknowledgedAt: null,
      acknowledgedBy: '',
    }
    entries.push(entry)
    return entry
  }

  /** Notes a retry: the clock may have been set back since the first attempt. */
  sendAgain(entry: Entry, nowMs: number): void {
    entry.isRetried = true
    entry.sinceMs = Math.min(entry.sinceMs, nowMs)
    entry.latestMs = Math.max(entry.latestMs, nowMs)
  }

  /** Notes a clock change, during which some observations may have been in flight. */
  turned({ fromMs, toMs }: { fromMs: number; toMs: number }): void {
    for (const entries of this.#corridors.values()) {
      const entry = entries.at(-1)!
      if (entry.acknowledgedAt !== null) continue
      entry.sinceMs = Math.min(entry.sinceMs, toMs)
      entry.latestMs = Math.max(entry.latestMs, fromMs)
    }
  }

  acknowledge(entry: Entry, { nowMs, by }: { nowMs: number; by: string }): void {
    entry.untilMs = Math.max(nowMs, entry.latestMs)
    entry.acknowledgedAt = performance.now()
    entry.acknowledgedBy = entry.isRetried ? NOBODY : by
  }

  /**
   * Error in showing observation `seq`, at `shownMs` if the response states a time; null for none.
   */
  fault(sight: Sight, seq: number | null, shownMs: number | null): string | null {
    const { corridor, cutoffMs } = sight
    const entries = this.#corridors.get(corridor)!
    const entry = seq === null ? undefined : entries[seq]
    if (!entry) return `${corridor} shows an observation that was never sent: ${seq}`
    if (shownMs !== null && (shownMs < entry.sinceMs || shownMs > entry.untilMs))
      return `${entry.note} has the time of another: ${shownMs}`
    if ((shownMs ?? entry.sinceMs) > cutoffMs) return `${entry.note} is past the cutoff`
    const newest = this.#newest(sight)
    if ((shownMs ?? entry.untilMs) >= newest.sinceMs) return null
    const ageMs = Math.round(sight.askedAt - newest.acknowledgedAt!)
    const by = `acknowledged by ${newest.acknowledgedBy} ${ageMs} ms before`
    return `${sight.answeredBy} shows ${entry.note} and not ${newest.note}, ${by}`
  }

  /** Assigns what is sent from now on to this fault. */
  mark(): void {
    this.#marks = new Map([...this.#corridors].map(([name, sent]) => [name, sent.length]))
  }

  /**
   * Compares everything with the database: how many observations since the mark were acknowledged
   * and found, and which ones of all were lost or stored twice.
   */
  async account(sql: Sql): Promise<Account> {
    const rows = await sql<{ notes: string; count: number }[]>`
      select notes, count(*)::int as count from observations where notes is not null group by notes`
    const counts = new Map(rows.map(({ notes, count }) => [notes, count]))
    const entries = [...this.#corridors.values()].flatMap((sent) => sent.slice(1))
    const acknowledged = entries.filter(({ acknowledgedAt }) => acknowledgedAt !== null)
    const isMine = ({ corridor, seq }: Entry) => seq >= (this.#marks.get(corridor) ?? 1)
    const isFound = ({ note }: Entry) => counts.has(note)
    return {
      acknowledged: acknowledged.filter(isMine).length,
      found: acknowledged.filter(isMine).filter(isFound).length,
      lost: acknowledged.filter((entry) => !isFound(entry)).map(({ note }) => note),
      doubled: entries.filter(({ note }) => (counts.get(note) ?? 0) > 1).length,
    }
  }

  /** The latest entry that must be visible. */
  #newest({ corridor, askedAt, answeredBy, cutoffMs, graceMs }: Sight): Entry {
    const entries = this.#corridors.get(corridor)!
    let newest = entries[0]!
    for (const entry of entries) {
      const { acknowledgedAt, acknowledgedBy, untilMs } = entry
      if (acknowledgedAt === null || untilMs > cutoffMs) continue
      const grace = acknowledgedBy === answeredBy ? 0 : graceMs
      if (acknowledgedAt + grace <= askedAt && entry.sinceMs > newest.sinceMs) newest = entry
    }
    return newest
  }

  #first(corridor: string): Entry {
    const { sinceMs } = this
    const times = { sinceMs, untilMs: sinceMs, latestMs: sinceMs, isRetried: false }
    const known = { acknowledgedAt: Number.NEGATIVE_INFINITY, acknowledgedBy: 'everybody' }
    return { corridor, seq: 0, note: `${corridor} 0`, ...times, ...known }
  }
}
