import { corridorKey } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Mid } from '~/domain/mid.ts'
import type { Window } from '~/domain/period.ts'
import { legsOf, midAt, type Probe, type ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { RecordedQuote } from '~/domain/quote.ts'
import type { View } from '~/memory/view.ts'
import { whoSaid } from '~/service/snapshot.ts'
import type { FileMaker, Put } from './kept-file.ts'
import type { MonthPast } from './past.ts'

/** An observation with the names and the mid that the file shows of it. */
export type MonthRow = {
  readonly quote: RecordedQuote
  readonly providerName: string
  /** The mid at the end of its UTC day; null if there was no recent one. */
  readonly mid: Mid | null
}

export type MonthWriter = (batches: AsyncIterable<readonly MonthRow[]>, put: Put) => Promise<number>

/** Every observation of the month, withdrawn ones too. Throws `unknown_file` if any is missing. */
export const monthMaker =
  (write: MonthWriter): FileMaker =>
  async (past, view, { name, startMs, endMs }, put) => {
    const lostMs = await past.lostMs()
    if (lostMs > startMs) throw deleted(name, lostMs)
    const rows = await write(monthRows(past, view, { fromMs: startMs, beforeMs: endMs }), put)
    if (rows === 0) throw empty(name)
    return rows
  }

/** The rows of a month; those of currencies switched off are left out, as in the files of days. */
async function* monthRows(
  past: MonthPast,
  view: View,
  window: Window,
): AsyncGenerator<readonly MonthRow[]> {
  const mids = new MonthMids(view, await referencesOf(past, view, window))
  const { catalogue } = view
  for await (const quotes of past.rows(window))
    yield quotes
      .filter(({ from, to }) => catalogue.currency(from) && catalogue.currency(to))
      .map((quote) => ({ quote, providerName: whoSaid(view, quote).name, mid: mids.of(quote) }))
}

/** The value of each currency at the end of each day. */
async function referencesOf(past: MonthPast, { catalogue }: View, { fromMs, beforeMs }: Window) {
  const codes = catalogue.currencies.map(({ code }) => code)
  const probes: Probe[] = []
  for (let dayMs = fromMs; dayMs < beforeMs; dayMs += DAY_MS)
    for (const currency of legsOf(codes, catalogue.anchors))
      probes.push({ currency, atMs: dayMs + DAY_MS - 1 })
  return past.referencesAt(probes)
}

/** The mids of days, as /historical has them; those of one corridor are remembered. Mutable. */
class MonthMids {
  readonly #references: ReadonlyMap<string, ProbeAnswer['reference']>
  #corridor = ''
  #days = new Map<number, Mid | null>()

  constructor(
    private readonly view: View,
    answers: readonly ProbeAnswer[],
  ) {
    this.#references = new Map(
      answers.map(({ currency, atMs, reference }) => [`${currency} ${atMs}`, reference]),
    )
  }

  of({ from, to, atMs }: RecordedQuote): Mid | null {
    const key = corridorKey({ from, to })
    if (key !== this.#corridor) this.#days = new Map()
    this.#corridor = key
    const nextMs = (Math.floor(atMs / DAY_MS) + 1) * DAY_MS
    return this.#days.getOrInsertComputed(nextMs, () => this.#mid([from, to], nextMs))
  }

  #mid(pair: readonly [string, string], nextMs: number): Mid | null {
    const { view } = this
    if (!pair.every((code) => view.isFiat(code))) return null
    const mid = midAt(nextMs - 1, pair, {
      anchors: view.catalogue.anchors,
      referenceAt: ({ currency, atMs }) => this.#references.get(`${currency} ${atMs}`) ?? undefined,
      maxAgeMs: Number.POSITIVE_INFINITY,
    })
    return mid && view.isRecent(mid.atMs, nextMs) ? mid : null
  }
}

const deleted = (month: string, lostMs: number): ServiceError =>
  new ServiceError(
    'unknown_file',
    `observations from before ${new Date(lostMs).toISOString()} were deleted for their age, so ` +
      `${month} has no file; request a later month`,
  )

const empty = (month: string): ServiceError =>
  new ServiceError('unknown_file', `nothing was observed in ${month}; ask for another month`)
