type Members = Readonly<Record<string, unknown>>

type Shortening = {
  /** The arguments, which some fields only repeat. */
  readonly args: Members
  readonly entries: readonly string[]
  /** Fields absent from the body, its entries and their offers. */
  readonly without: ReadonlySet<string>
}

/**
 * A body of REST with fewer fields, unless all are requested: without those named, those with usual
 * values, and those that only repeat the arguments. The remaining fields have the values of REST.
 *
 * No warning is left out: a stale price, one that was not observed, a fee that was not stated, an
 * amount that is not the requested one, a condition that an offer does not state.
 */
export function shortened(body: object, how: Shortening): object {
  if (how.args.detail === 'full') return body
  const members = body as Members
  const kept: Record<string, unknown> = {}
  for (const name in members) {
    if (how.without.has(name)) continue
    const value = members[name]
    kept[name] = how.entries.includes(name) ? shortPart(value as Part, how) : value
  }
  return kept
}

type Part = Members | readonly Members[] | null

const shortPart = (part: Part, how: Shortening): unknown => {
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
  for (const name in entry) {
    const value = entry[name]
    if (value === undefined || without.has(name) || isUsual(name, value, { entry, args })) continue
    if (name === 'cost') kept.cost = shortCost(value as Members | null, without)
    else if (name === 'offer') addOffer(kept, entry, { args, without })
    else kept[name] = value
  }
  return kept
}

/** Reports whether a field says no more than its absence would. */
function isUsual(
  name: string,
  value: unknown,
  { entry, args }: { readonly entry: Members; readonly args: Members },
): boolean {
  switch (name) {
    case 'offer_id':
      return true
    case 'fee':
    case 'spread_bps':
      return value === null
    case 'fee_currency':
      return value === null || value === (entry.from ?? args.from)
    case 'fee_stated':
      return value === true
    case 'evidence':
      return value === 'observed'
    case 'amount_match':
    case 'at_amount':
      return (entry.amount_match ?? 'exact') === 'exact'
    case 'margin_pct':
      return entry.cost !== null && entry.cost !== undefined
    case 'best_is_stale':
    case 'best_last_updated':
      return entry.best_rate === null
    default:
      return false
  }
}

/** A cost without its currency, which is that of the amount. */
function shortCost(cost: Members | null, without: Shortening['without']): Members | null {
  if (cost === null) return null
  const kept: Record<string, unknown> = {}
  for (const name in cost) if (name !== 'currency' && !without.has(name)) kept[name] = cost[name]
  return kept
}

/** Adds the conditions of an offer that were not arguments; amounts only without `amount_match`. */
function addOffer(
  kept: Record<string, unknown>,
  entry: Members,
  { args, without }: Pick<Shortening, 'args' | 'without'>,
): void {
  const offer = entry.offer as Members
  const isBandShown = entry.amount_match !== undefined
  let terms: Record<string, unknown> | null = null
  for (const name in offer) {
    if (name === 'id' || without.has(name) || offer[name] === args[name]) continue
    if (isBandShown && (name === 'amount_min' || name === 'amount_max')) continue
    terms ??= {}
    terms[name] = offer[name]
  }
  if (terms !== null) kept.offer = terms
}
