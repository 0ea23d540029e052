import { corridorKey } from '~/domain/corridor.ts'
import { freshnessAt, type Tier } from '~/domain/freshness.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { offerId } from '~/domain/offer/id.ts'
import { roundAmount } from '~/domain/round.ts'
import { View } from '~/memory/view.ts'
import { isCurrent } from '~/service/convert.ts'
import { evaluatedOf } from '~/service/stream/changes.ts'
import { corridorsIn } from '~/service/stream/realtime.ts'
import { isSupported } from '~/service/supported.ts'
import { iso } from '~/wire/present.ts'
import { presentProviderRate } from '~/wire/rates.ts'
import type { Heard, Replica } from '../../support/replica.ts'

type Known = { [corridor: string]: { [what: string]: unknown } }

/** State of a client that sends one request, and from then on follows the events. */
export class Mirror {
  #known: Known
  #applied = 0

  constructor(
    private readonly replica: Replica,
    private readonly corridors: string[] | '*',
    private readonly tier: Tier,
  ) {
    this.#known = this.#whole()
  }

  /** Current state by the events. */
  get known(): Known {
    return this.#priced(this.#known)
  }

  /** Applies the new events since the last time. */
  apply(events: readonly Heard[]): void {
    for (const { name, data } of events.slice(this.#applied)) {
      if (name === 'catalogue') continue
      if (name === 'reset') this.#known = this.#whole()
      else this.#take(name, data)
    }
    this.#applied = events.length
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
  #take(name: string, data: any): void {
    this.#known[data.corridor] ??= { mid: this.#whole()[data.corridor]?.mid }
    const corridor = this.#known[data.corridor]!
    if (name === 'quote') corridor[data.offer_id] = ownOf(data)
    if (name === 'gone') delete corridor[data.offer_id]
    if (name === 'mid') corridor.mid = data.mid_rate && midOf(data)
    if (name === 'best') {
      corridor.best = data.best?.provider_id
      corridor.current = data.best_current?.rate
    }
  }

  /** Current state of the process. */
  truth(): Known {
    return this.#priced(this.#whole())
  }

  /** As `truth`, computed naively from the views of the process. */
  #whole(): Known {
    const { live, log, limits } = this.replica
    const hourMs = Math.max(
      ...log.changes
        .filter(({ kind, position }) => kind === 'hour' && position <= live.position)
        .map(({ atMs }) => atMs),
    )
    const freshness =
      this.tier === 'realtime'
        ? freshnessAt('realtime', live.atMs)
        : { tier: this.tier, nowMs: hourMs, cutoffMs: hourMs }
    const view = new View(live.current, freshness, limits)
    const all = corridorsIn({ before: live.current, after: live.current })().map(corridorKey)
    const names = this.corridors === '*' ? all : this.corridors
    return Object.fromEntries(names.map((name) => [name, shown(view, name)]))
  }

  /** Drops the corridors without a price unless they were requested by name. */
  #priced(known: Known): Known {
    if (this.corridors !== '*') return known
    const priced = Object.entries(known).filter(([, corridor]) =>
      Object.keys(corridor).some((name) => !['mid', 'best', 'current'].includes(name)),
    )
    return Object.fromEntries(priced)
  }
}

/** Fields of a price that do not follow from other events. */
function ownOf(data: Record<string, unknown>) {
  const { corridor: _, spread_bps, vs_mid_bps, timestamp, data_freshness, as_of, ...own } = data
  return own
}

function shown(view: View, name: string): Known[string] {
  const [from, to] = name.split('/') as [string, string]
  if (!isSupported(view.catalogue, { from, to }, NO_FILTERS)) return {}
  const { quotes, offers, best } = view.corridor(from, to)
  const mid = view.mid(from, to)
  const prices = offers.map((ranked) => [
    offerId(ranked.quote),
    ownOf(presentProviderRate(evaluatedOf(ranked, mid))),
  ])
  const executable = ['retail', 'p2p', 'interbank']
  const current = quotes.filter((one) => isCurrent(one) && executable.includes(one.quote.rateType))
  return {
    ...Object.fromEntries(prices),
    ...(best && { best: best.provider.id }),
    ...(current.length > 0 && { current: Math.max(...current.map(({ quote }) => quote.rate)) }),
    ...(mid && {
      mid: midOf({
        ...{ mid_rate: roundAmount(mid.rate), mid_source: mid.source },
        mid_fetched_at: iso(mid.atMs),
      }),
    }),
  }
}

/** A mid as a reader knows it; the time of a mid from pegs alone changes without an event. */
const midOf = (data: { mid_rate: unknown; mid_source: unknown; mid_fetched_at: unknown }) => [
  data.mid_rate,
  data.mid_source === 'peg:USD' ? 'at any time' : data.mid_fetched_at,
]
