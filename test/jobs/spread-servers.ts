import { corridorKey, type StoredCorridor } from '~/domain/corridor.ts'
import type { Quote } from '~/domain/quote.ts'
import type { LogRow, Spread } from '~/jobs/change-log.ts'
import { Follower } from '~/jobs/follower.ts'
import { type Hidden, Whole } from '~/jobs/whole.ts'
import { ANYWHERE, LiveMemory } from '~/memory/live/live.ts'
import type { Step } from '~/memory/live/step.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { HandClock } from '../support/clock.ts'
import { noReferences } from '../support/days.ts'
import { KeptLog } from '../support/log.ts'
import { quote } from '../support/quotes.ts'

export const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

/** The corridors, each on the server of its index. */
export const TARGETS = ['KES', 'NGN'] as const
const CATALOGUE = { currencies: CURRENCIES, providers: PROVIDERS }

type Row = { readonly quote: Quote; readonly server: number; isShown: boolean }

/**
 * Two servers, with a corridor on each, that show their parts of a commit on demand or are
 * unreachable; and the log of changes, which is on neither.
 */
export class SpreadServers {
  readonly log: LogRow[] = []
  readonly rows: Row[] = []
  readonly away = new Set<number>()
  readonly asked: string[] = []
  /** Corridors that the last load of live quotes lacked. */
  missing: ReadonlySet<string> = new Set()
  /** The corridors that each load of live quotes requested. */
  readonly loads: ('all' | readonly string[])[] = []
  /** Says whether loads of live quotes fail. */
  isRefusing = false
  nowMs = NOW_MS
  /** Called whenever a caller waits for a part. */
  onPause = async () => {}
  /** Called after the incomplete changes were read and before they are returned. */
  onUnseen = async () => {}
  /** Called after the live quotes were read and before they are returned. */
  onLoad = async () => {}
  #id = 0

  readonly changes = {
    end: async () => ({
      position: this.log.at(-1)?.position ?? 0,
      tickMs: NOW_MS,
      hourMs: null,
    }),
    from: async (position: number, rowsMax: number) =>
      this.log.filter((row) => row.position >= position).slice(0, rowsMax),
    logTime: async () => {},
    prune: async () => 0,
    unseen: async (rowsMax: number) => {
      const rows = this.log.filter(({ spread }) => /open|aside/.test(`${spread?.state}`))
      await this.onUnseen()
      return rows.slice(0, rowsMax)
    },
    settle: async (positions: readonly number[]) => {
      for (const position of positions) this.#turn(position, 'open', null)
    },
    setAside: async (position: number) => {
      this.asked.push(`aside ${position}`)
      for (const from of ['open', 'again', null] as const) this.#turn(position, from, 'aside')
    },
    tellAgain: async (position: number) => {
      const row = this.#turn(position, 'aside', null)
      if (row) this.#tell({ ...row, spread: { ...row.spread!, state: 'again' } })
    },
  }

  readonly quotes = {
    live: async (
      _: number,
      hidden: Hidden | null = null,
      corridors: readonly StoredCorridor[] | null = null,
    ) => {
      this.loads.push(corridors?.map(corridorKey) ?? 'all')
      if (this.isRefusing) throw new Error('too many connections')
      const newest = new Map<string, Quote>()
      const isAsked = ({ to }: Quote) => !corridors || corridors.some((one) => one.to === to)
      for (const { quote, server, isShown } of this.rows)
        if (isShown && isAsked(quote) && !this.away.has(server) && !isIn(hidden, quote))
          newest.set(quote.to, quote)
      this.missing = new Set([...this.away].map((server) => `USD/${TARGETS[server]}`))
      await this.onLoad()
      return [...newest.values()]
    },
    byIds: async () => {
      throw new Error('nobody asks for ids alone')
    },
    ofChanges: async (changes: readonly LogRow[]) => {
      this.#ask(changes.flatMap(({ spread }) => spread!.corridorIds))
      const ids = new Set(changes.flatMap((change) => change.ids ?? []))
      return this.rows
        .filter(({ quote, isShown }) => isShown && ids.has(quote.id))
        .map((row) => row.quote)
    },
    withdrawnAmong: async () => [],
    hasWitnesses: async ({ spread }: LogRow) => {
      this.#ask(spread!.corridorIds)
      return spread!.witnesses.every((id) =>
        this.rows.some(({ quote, isShown }) => isShown && quote.id === id),
      )
    },
  }

  readonly whole = new Whole({
    changes: this.changes,
    quotes: this.quotes,
    clock: { now: () => this.nowMs },
    pause: () => this.onPause(),
  })

  /** Commits a price to each corridor, which no server shows yet, and returns the position. */
  commit(rate: number, { isNamed = true, servers = [0, 1] } = {}): number {
    const rows = servers.map((server) => ({
      quote: quote({ id: ++this.#id, to: TARGETS[server]!, rate, atMs: NOW_MS - 1e6 + this.#id }),
      server,
      isShown: false,
    }))
    this.rows.push(...rows)
    const ids = rows.map(({ quote: { id } }) => id)
    const spread: Spread = { corridorIds: servers, state: 'open', witnesses: isNamed ? [] : ids }
    return this.#tell({
      position: 0,
      kind: 'observations',
      atMs: NOW_MS,
      ids: isNamed ? ids : null,
      window: null,
      spread,
      catalogue: null,
    })
  }

  /** Makes a server show everything that was committed. */
  show(server: number): void {
    for (const row of this.rows) if (row.server === server) row.isShown = true
  }

  stateOf = (position: number) => this.log.find((row) => row.position === position)?.spread?.state

  #tell(row: LogRow): number {
    const position = (this.log.at(-1)?.position ?? 0) + 10
    this.log.push({ ...row, position })
    return position
  }

  #turn(position: number, from: Spread['state'], state: Spread['state']): LogRow | null {
    const at = this.log.findIndex((row) => row.position === position)
    const row = this.log[at]
    if (!row?.spread || row.spread.state !== from) return null
    this.log[at] = { ...row, spread: { ...row.spread, state } }
    return this.log[at]!
  }

  #ask(servers: Iterable<number>): void {
    for (const server of servers)
      if (this.away.has(server)) throw new Error(`server ${server} is away`)
  }
}

const isIn = (hidden: Hidden | null, { id }: Quote): boolean =>
  hidden !== null &&
  (hidden.ids.includes(id) ||
    hidden.ranges.some(({ firstId, lastId }) => id >= firstId && id <= lastId))

/** A process on the servers, with what it serves and reports. */
export class SpreadProcess {
  readonly memory = new Memory()
  readonly live = new LiveMemory(this.memory)
  readonly steps: Step[] = []
  readonly gaps: number[] = []
  readonly follower: Follower

  constructor(servers: SpreadServers) {
    const { memory, live } = this
    const { whole, changes } = servers
    const references = {
      live: async () => [],
      byIds: async () => [],
      referencesAt: noReferences,
    }
    const quotes = {
      ...servers.quotes,
      live: whole.live.bind(whole),
      missing: () => servers.missing,
    }
    const catalogue = { load: async () => CATALOGUE }
    const [clock, log] = [new HandClock(NOW_MS), new KeptLog()]
    const read = { changes, quotes, references, days: references, catalogue, whole }
    this.follower = new Follower({ ...read, memory, live, clock, log })
    live.subscribe({
      onStep: (step) => void this.steps.push(step),
      onGap: (position) => void this.gaps.push(position),
    })
    live.watch(ANYWHERE)
  }

  /** Loads like a starting process. */
  async start(): Promise<this> {
    await this.follower.begin()
    return this
  }

  /** Receives the notification of another process's commit. */
  async receive(position: number): Promise<void> {
    this.follower.receive({ position })
    await this.follower.settled()
  }

  /** The served rates, by corridor. */
  get rates() {
    const { quotes } = this.memory.current
    return TARGETS.map((to) => [...(quotes.book('USD', to)?.allQuotes() ?? [])].at(-1)?.rate)
  }
}
