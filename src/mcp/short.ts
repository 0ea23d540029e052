/** How much of an answer is wanted: what a model needs, or all that REST says. */
export const DETAILS = ['short', 'full'] as const

type Members = Readonly<Record<string, unknown>>

type Shortening = {
  /** The arguments, by which some members only repeat what was asked. */
  readonly args: Members
  /** The members that are an entry, or a list of entries. */
  readonly entries: readonly string[]
  /** Members that neither the body nor an entry has, nor its offer. */
  readonly without: readonly string[]
}

/**
 * A body of REST with fewer members, unless all are asked for: without those named, those that say
 * what is usual, and those that only repeat the question. What stays has the value that REST says.
 *
 * Nothing that warns is left out: a stale price, one that nobody observed, a fee that nobody
 * stated, an amount that is not the one asked, what an offer does not say.
 */
export function shortened(body: object, how: Shortening): object {
  if (how.args.detail === 'full') return body
  const kept = Object.entries(body).filter(([name]) => !how.without.includes(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, how.entries.includes(name) ? shortPart(value, how) : value]),
  )
}

const shortPart = (part: Members | readonly Members[] | null, how: Shortening): unknown => {
  if (part === null) return null
  return isList(part) ? part.map((entry) => shortEntry(entry, how)) : shortEntry(part, how)
}

const isList = (part: Members | readonly Members[]): part is readonly Members[] =>
  Array.isArray(part)

/** One entry, by the rules of `shortened`. */
export function shortEntry(
  entry: Members,
  { args, without }: Pick<Shortening, 'args' | 'without'>,
): Members {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(entry)) {
    if (value === undefined || without.includes(name)) continue
    if (USUAL[name]?.(value, entry, args)) continue
    if (name !== 'offer')
      kept[name] = name === 'cost' ? shortCost(value as Members | null, without) : value
    else {
      const repeated = 'amount_match' in entry ? [...without, ...BAND] : without
      const terms = shortOffer(value as Members, repeated, args)
      if (terms.length > 0) kept.offer = Object.fromEntries(terms)
    }
  }
  return kept
}

type IsUsual = (value: unknown, entry: Members, args: Members) => boolean

const isExact: IsUsual = (_, entry) => entry.amount_match !== 'nearest'

/** When a member says no more than what holds where it is absent. */
const USUAL: Readonly<Record<string, IsUsual>> = {
  fee: (fee) => fee === null,
  fee_currency: (code, { from }, args) => code === null || code === (from ?? args.from),
  fee_stated: (isStated) => isStated === true,
  evidence: (word) => word === 'observed',
  amount_match: isExact,
  at_amount: isExact,
  margin_pct: (_, { cost }) => cost !== null && cost !== undefined,
  spread_bps: (bps) => bps === null,
  best_is_stale: (_, { best_rate: rate }) => rate === null,
  best_last_updated: (_, { best_rate: rate }) => rate === null,
}

/** The amounts that an offer is for, which `amount_match` tells already. */
const BAND = ['amount_min', 'amount_max']

/** A cost without its currency, which is that of the amount. */
function shortCost(cost: Members | null, without: readonly string[]): Members | null {
  if (cost === null) return null
  const figures = Object.entries(cost).filter(
    ([name]) => name !== 'currency' && !without.includes(name),
  )
  return Object.fromEntries(figures)
}

/** What an offer says that the question did not. */
const shortOffer = ({ id: _, ...offer }: Members, without: readonly string[], args: Members) =>
  Object.entries(offer).filter(([name, value]) => !without.includes(name) && value !== args[name])
