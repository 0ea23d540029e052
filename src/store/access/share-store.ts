import type { Share, ShareAsk, UsageCount } from '~/domain/quota.ts'
import type { Database, TransactionSql } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import { NOTIFICATION_CHANNEL, originOf } from '~/store/notification-channel.ts'

/** The time for which a silent meter keeps its shares; after that they are free again. */
const LEASE_SECONDS = 4
/** The time before its end from which a lease is not renewed, since a commit takes time. */
const MARGIN_SECONDS = 1
/** The time for which a process trusts its lease: less than the database does. */
export const LEASE_TRUST_MS = (LEASE_SECONDS - MARGIN_SECONDS) * 1000

const SLOTS_MAX = 1000
/** The largest share, for limits that are meant to be none. */
const SHARE_UNITS_MAX = 1_000_000_000

type Slot = { readonly slot: number }

/** The processes that share budgets, each known by the name of its database handle. */
export function createMeterStore(database: Database) {
  const { sql } = database
  const id = originOf(database)
  return {
    async join() {
      const [, , [joined]] = await sql.begin((tx) =>
        Promise.all([
          tx`select pg_advisory_xact_lock(hashtext('corridor usage meters'))`,
          tx`delete from usage_meters where id = ${id} or until < clock_timestamp()`,
          tx<Slot[]>`
            insert into usage_meters (id, slot, until)
            select ${id}, min(slot), clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
            from generate_series(0, ${SLOTS_MAX}::int) as free (slot)
            where slot not in (select slot from usage_meters)
            returning slot`,
        ]),
      )
      return joined!.slot
    },
    async renew() {
      const [renewed] = await sql<Slot[]>`
        update usage_meters set until = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
        where id = ${id} and until > clock_timestamp() + ${MARGIN_SECONDS} * interval '1 second'
        returning slot`
      return renewed?.slot ?? null
    },
    async leave() {
      await sql`delete from usage_meters where id = ${id}`
    },
    async prune(day: number) {
      await sql`delete from usage_shares where day < date '1970-01-01' + ${day}::int`
    },
  }
}

/**
 * The statements that take shares, to be sent in this order after the counts and in one transaction
 * with them, so that each budget is right. They return nothing, the shares, and the totals of the
 * accounts asked for.
 *
 * A process gets half of what is free, divided by the number of processes; so shares get smaller
 * near the end, and counted and held units never exceed the limit. If nothing is free and other
 * processes hold something, they are asked to return it. A meter that counts as dead gets no share.
 * Two processes that ask for one account's share wait for each other, in one order of all accounts.
 */
export function takingShares(database: Database, tx: TransactionSql, asks: readonly ShareAsk[]) {
  if (asks.length === 0) return [[], [], []] as const
  const accountIds = arrayLiteral(asks.map(({ accountId }) => accountId))
  const days = arrayLiteral(asks.map(({ day }) => day))
  return [
    tx`select from accounts where id = any(${accountIds}::uuid[]) order by id for no key update`,
    given(database, tx, asks),
    tx<UsageCount[]>`
      select asked.day, account_id as "accountId", key_id as "keyId", requests
      from unnest(${accountIds}::uuid[], ${days}::int[]) as asked (id, day)
      join usage on usage.account_id = asked.id
        and usage.day = date '1970-01-01' + asked.day`,
  ] as const
}

function given(database: Database, tx: TransactionSql, asks: readonly ShareAsk[]) {
  const id = originOf(database)
  const column = (of: (ask: ShareAsk) => string | number) => arrayLiteral(asks.map(of))
  return tx<Share[]>`
    with live as materialized (
      select id from usage_meters where until > clock_timestamp()
    ), asked as (
      select *, date '1970-01-01' + day_number as day
      from unnest(
        ${column(({ accountId }) => accountId)}::uuid[],
        ${column(({ day }) => day)}::int[],
        ${column(({ limit }) => limit)}::bigint[],
        ${column(({ held }) => held)}::bigint[],
        ${column(({ isMore }) => String(isMore))}::boolean[]
      ) as asked (account_id, day_number, units_max, held, is_more)
      where exists (select from live where id = ${id}::uuid)
    ), known as (
      select asked.*,
        (select coalesce(sum(requests), 0) from usage
          where usage.day = asked.day and usage.account_id = asked.account_id) as used,
        (select coalesce(sum(units), 0) from usage_shares s join live on live.id = s.meter_id
          where s.day = asked.day and s.account_id = asked.account_id
            and s.meter_id <> ${id}::uuid) as others
      from asked
    ), budgets as (
      select known.*, free, least(${SHARE_UNITS_MAX}::int, held +
        case when is_more and free > 0
          then ceil(free / (2.0 * (select count(*) from live))) else 0 end)::int as units
      from known, lateral (select units_max - used - others - held as free) as budget
    ), taken as (
      insert into usage_shares (day, account_id, meter_id, units)
      select day, account_id, ${id}::uuid, units
      from budgets join accounts on accounts.id = account_id
      on conflict (day, account_id, meter_id) do update set units = excluded.units
    ), wanted as materialized (
      select pg_notify(${NOTIFICATION_CHANNEL}, json_build_object(
        'kind', 'shares', 'accountIds', json_agg(account_id), 'origin', ${id}::text)::text)
      from budgets
      where is_more and free <= 0 and others > 0 and used < units_max
      having count(*) > 0
    )
    select day_number as day, account_id as "accountId", units, free >= 0 as "isWithin"
    from budgets left join wanted on true`
}
