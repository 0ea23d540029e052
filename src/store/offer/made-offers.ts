import type { Corridor } from '~/domain/corridor.ts'
import type { RowFault } from '~/domain/observation.ts'
import { offerOfKey } from '~/domain/offer/terms.ts'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'

export const PROVIDER_OFFERS_MAX = 200
export const CORRIDOR_OFFERS_MAX = 1000

/** The longest time for which an unused offer counts. */
const UNUSED_MINUTES_MAX = 10
const LOCK_NAME = 'corridor offers'

/** Says whether the rows of a corridor are on one of several servers. */
type Place = { readonly isDistributed: boolean }

/** An offer of a series that is to be found or created, and the index of its first row. */
export type Wanted = Corridor & {
  readonly index: number
  readonly series: number
  readonly corridorId: number
  readonly key: string
  readonly providerId: string
}

export type OfferName = { readonly id: number; readonly series: number; readonly key: string }

/** The wanted offers that count already, and so may be used without a limit check. */
export const countedOffers = (
  sql: Sql | TransactionSql,
  wanted: readonly Wanted[],
  place: Place,
) => sql<OfferName[]>`
    select f.id, f.provider_corridor_id as series, f.key
    from offers f join ${wantedRows(sql, wanted)}
      on f.provider_corridor_id = wanted.series and f.key = wanted.key
    where ${isOf(sql, wanted)} and ${counts(sql, place)}`

/**
 * Creates the wanted offers, or none of them if that would exceed a limit; then returns an error
 * for each one beyond it.
 *
 * A lock on each corridor makes sessions count and create in turn. Offers that do not count any
 * more, because all of their rows have expired, are counted as new ones.
 */
export async function makeOffers(
  sql: Sql,
  tx: TransactionSql,
  wanted: readonly Wanted[],
  place: Place,
) {
  const corridorIds = [...new Set(wanted.map(({ corridorId }) => corridorId))].sort((a, b) => a - b)
  await tx`
    select pg_advisory_xact_lock(hashtext(${LOCK_NAME}), id)
    from unnest(${arrayLiteral(corridorIds)}::int[]) id`
  const made = [...(await countedOffers(tx, wanted, place))]
  const isMade = new Set(made.map(({ series, key }) => `${series} ${key}`))
  const unmade = wanted.filter(({ series, key }) => !isMade.has(`${series} ${key}`))
  const faults = faultsOf(unmade, await offersIn(tx, corridorIds, place))
  if (faults.length > 0) return { made: [], faults }
  await tx`
    insert into offers (provider_corridor_id, key, source_country, target_country, pay_in, pay_out,
      channel, amount_min, amount_max, service, corridor_id)
    select series, key, said->>'sourceCountry', said->>'targetCountry', ${list(sql, 'payIn')},
      ${list(sql, 'payOut')}, said->>'channel', (said->>'amountMin')::numeric,
      (said->>'amountMax')::numeric, said->>'service', corridor
    from ${wantedRows(tx, unmade)}
    on conflict do nothing`
  const rows = await tx<OfferName[]>`
    select f.id, wanted.series, wanted.key from offers f join ${wantedRows(tx, unmade)}
      on f.provider_corridor_id = wanted.series and f.key = wanted.key
    where ${isOf(tx, unmade)}`
  return { made: [...made, ...rows], faults }
}

/** Reports whether the offer `f` is in the corridor of a wanted one, by their ids. */
const isOf = (sql: Sql | TransactionSql, wanted: readonly Wanted[]) => {
  const corridorIds = [...new Set(wanted.map(({ corridorId }) => corridorId))]
  return sql`f.corridor_id = any(${arrayLiteral(corridorIds)}::int[])`
}

type Counted = { readonly series: number; readonly corridorId: number; readonly offers: number }

/** The number of counted offers of each series in some corridors. */
const offersIn = (sql: TransactionSql, corridorIds: readonly number[], place: Place) => sql<
  Counted[]
>`
  select p.id as series, p.corridor_id as "corridorId", count(*)::int as offers
  from provider_corridors p
  join offers f on f.provider_corridor_id = p.id and f.corridor_id = p.corridor_id
  where p.corridor_id = any(${arrayLiteral(corridorIds)}::int[]) and ${counts(sql, place)}
  group by p.id, p.corridor_id`

/** Reports whether the offer `f` has an unexpired row, or was created just now. */
const counts = (sql: Sql | TransactionSql, place: Place) => sql`(
  f.made_at > now() - make_interval(mins => ${UNUSED_MINUTES_MAX})
  or exists (
    select 1 from observations where provider_corridor_id = f.provider_corridor_id
      ${besideOffer(sql, place)} and offer_id = f.id and valid_until is null
  ) or exists (
    select 1 from observations where provider_corridor_id = f.provider_corridor_id
      ${besideOffer(sql, place)} and offer_id = f.id and valid_until >= now()
  )
)`

/** Condition that finds rows on the server of the offer `f`; plain PostgreSQL needs none. */
const besideOffer = (sql: Sql | TransactionSql, { isDistributed }: Place) =>
  isDistributed ? sql`and corridor_id = f.corridor_id` : sql``

/** An error for each of the offers that there is no room for. */
function faultsOf(unmade: readonly Wanted[], counted: readonly Counted[]): RowFault[] {
  const ofProvider = new Map(counted.map(({ series, offers }) => [series, offers]))
  const ofCorridor = new Map<number, number>()
  const add = (of: Map<number, number>, id: number, more: number) => {
    const sum = (of.get(id) ?? 0) + more
    of.set(id, sum)
    return sum
  }
  for (const { corridorId, offers } of counted) add(ofCorridor, corridorId, offers)
  return unmade.flatMap(({ index, series, corridorId, providerId, from, to }) => {
    const inAll = add(ofCorridor, corridorId, 1)
    const pair = `${from}/${to}`
    if (add(ofProvider, series, 1) > PROVIDER_OFFERS_MAX)
      return { index, error: `${providerId} has ${PROVIDER_OFFERS_MAX} offers in ${pair}, ${FULL}` }
    if (inAll > CORRIDOR_OFFERS_MAX)
      return { index, error: `${pair} has ${CORRIDOR_OFFERS_MAX} offers, ${FULL}` }
    return []
  })
}

const FULL =
  'which is the limit: price fewer combinations, or let prices expire by their valid_until'

function wantedRows(sql: Sql | TransactionSql, wanted: readonly Wanted[]) {
  const saying = wanted.map(({ key }) => JSON.stringify(offerOfKey(key)))
  return sql`unnest(
    ${arrayLiteral(wanted.map(({ series }) => series))}::int[],
    ${arrayLiteral(wanted.map(({ key }) => key))}::text[],
    ${arrayLiteral(saying)}::jsonb[],
    ${arrayLiteral(wanted.map(({ corridorId }) => corridorId))}::int[]
  ) as wanted (series, key, said, corridor)`
}

/** A list in an offer; null if the offer does not state it. */
const list = (sql: Sql, name: 'payIn' | 'payOut') => sql`
  case when jsonb_typeof(said->${name}) = 'array'
    then array(select jsonb_array_elements_text(said->${name})) end`
