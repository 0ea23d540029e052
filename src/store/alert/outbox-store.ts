import type { Attempt, Claim, ClaimRequest, SwitchedOff } from '~/domain/alert/claim.ts'
import { DELIVERIES_MAX, type DeliveryKind } from '~/domain/alert/delivery.ts'
import { AHEAD_MS_MAX } from '~/domain/alert/retries.ts'
import type { Database, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { announced } from '~/store/notification-channel.ts'
import { createAttemptStore } from '~/store/portal/attempt-store.ts'
import { rerun } from '~/store/rerun.ts'

/** The time for which a process has a delivery to itself; longer than any attempt takes. */
const LEASE_SECONDS = 60
/** The maximum number of due deliveries that are looked at, to choose the few that are claimed. */
const DUE_MAX = 500
const KEPT_DAYS = 30

/** Stores deliveries of alerts for the processes that send them. */
export function createOutboxStore(database: Database) {
  const { sql } = database
  return {
    claim: (request: ClaimRequest) => claimed(sql, request),
    ...createAttemptStore(database),
    async release({ id, tries }: Claim, nextMs: number): Promise<void> {
      await sql`update alert_deliveries set claimed_until = null, tries = tries - 1,
          next_at = ${instantText(nextMs)}
        where id = ${id} and tries = ${tries} and status = 'waiting'`
    },
    async keepSuccess({ id, tries }: Claim, { status, reply, ms, nowMs }: Attempt): Promise<void> {
      await sql`update alert_deliveries set status = 'done', done_at = ${instantText(nowMs)},
          claimed_until = null, last_status = ${status}, last_error = null, last_ms = ${ms},
          last_reply = ${reply ?? null}
        where id = ${id} and tries = ${tries} and status = 'waiting'`
    },
    async keepFailure(claim: Claim, attempt: Attempt, nextMs: number | null): Promise<void> {
      const { id, tries } = claim
      const { status, error, reply, ms, nowMs } = attempt
      const now = instantText(nowMs)
      await sql`update alert_deliveries set claimed_until = null,
          status = ${nextMs === null ? 'given_up' : 'waiting'},
          next_at = ${instantText(nextMs ?? nowMs)}, done_at = ${nextMs === null ? now : null},
          first_failed_at = coalesce(first_failed_at, ${now}),
          last_status = ${status}, last_error = ${error}, last_ms = ${ms},
          last_reply = ${reply ?? null}
        where id = ${id} and tries = ${tries} and status = 'waiting'`
    },
    failingSince: (claim: Claim) => failingSince(sql, claim),
    switchOff: (claim: Claim, reason: string, nowMs: number) =>
      rerun(() => switchedOff(database, claim, { reason, nowMs })),
    async addEnding({ alertId }: Claim, body: string, nowMs: number): Promise<void> {
      const now = instantText(nowMs)
      await sql`insert into alert_deliveries (alert_id, kind, body, created_at, next_at)
        select id, 'ended', ${body}, ${now}, ${now} from alerts where id = ${alertId}`
    },
    recall: (nowMs: number) => recalled(sql, nowMs),
    dueSince: (nowMs: number) => dueSince(sql, nowMs),
    prune: (nowMs: number) => prune(sql, nowMs),
  }
}

type Claimed = Omit<Claim, 'to'> & {
  url: string | null
  secrets: string[]
  address: string | null
  language: string | null
}

/**
 * Takes deliveries that are due, longest due first, at most one of each receiver and of each
 * account: asked again, it takes more of them, until their names come among those that are busy.
 */
async function claimed(sql: Sql, request: ClaimRequest): Promise<Claim[]> {
  const now = instantText(request.nowMs)
  const rows = await sql<Claimed[]>`
    with due as (
      select d.id, d.next_at, a.account_id, r.receiver
      from alert_deliveries d
      join alerts a on a.id = d.alert_id
      cross join lateral (select ${receiverIn(sql)} as receiver) r
      where d.status = 'waiting' and d.next_at <= ${now}
        and (d.claimed_until is null or d.claimed_until < clock_timestamp())
        and r.receiver <> all(${request.busyReceivers as string[]}::text[])
        and a.account_id <> all(${request.busyAccounts as string[]}::uuid[])
      order by d.next_at, d.id limit ${DUE_MAX}
    ), placed as (
      select id, receiver,
        row_number() over (partition by receiver order by next_at, id) as of_receiver,
        row_number() over (partition by account_id order by next_at, id) as of_account
      from due
    ), taken as (
      select d.id, placed.receiver from alert_deliveries d join placed on placed.id = d.id
      where of_receiver = 1 and of_account = 1 and d.status = 'waiting'
        and (d.claimed_until is null or d.claimed_until < clock_timestamp())
      order by d.next_at, d.id limit ${request.room} for update of d skip locked
    )
    update alert_deliveries d set tries = d.tries + 1,
      claimed_until = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
    from taken, alerts a left join portal_users u on u.account_id = a.account_id
    where d.id = taken.id and a.id = d.alert_id
    returning d.id, d.alert_id as "alertId", a.account_id as "accountId", d.kind, d.body, d.tries,
      ${msOf(sql, sql`d.created_at`)} as "createdMs",
      a.webhook_url as url, u.email as address, u.language, taken.receiver,
      array_remove(array[a.secret,
        case when a.old_secret_ends_at > ${now} then a.old_secret end], null) || array(
          select one ->> 'secret' from jsonb_array_elements(a.older_secrets) one
          where (one ->> 'ends_at')::timestamptz > ${now}
        ) as secrets`
  return rows.map(claimOf)
}

const msOf = (sql: Sql, moment: ReturnType<Sql>) =>
  sql`(extract(epoch from ${moment}) * 1000)::float8`

/**
 * Receiver of a delivery `d` of an alert `a`, shared by deliveries to the same place. Many share
 * the hosts of the large services, so that those of another account are another receiver.
 */
const receiverIn = (sql: Sql) => sql`
  case when d.kind = 'ended' or a.webhook_url is null then 'mail'
    else a.account_id || ' ' || lower(substring(a.webhook_url, '^[^/]*//[^/?]*')) end`

const claimOf = ({ url, secrets, address, language, ...claim }: Claimed): Claim => ({
  ...claim,
  to:
    claim.receiver === 'mail' || url === null
      ? { kind: 'mail', address, language }
      : { kind: 'webhook', url, secrets },
})

/**
 * Since when everything to the URL of a claim has failed: since its last success, or since the
 * first failure of something that still waits, whichever came later; null if nothing fails.
 */
async function failingSince(sql: Sql, { alertId }: Claim): Promise<number | null> {
  const [row] = await sql<{ first: number | null; success: number | null }[]>`
    select ${msOf(sql, sql`min(d.first_failed_at) filter (where d.status = 'waiting')`)} as first,
      ${msOf(sql, sql`max(d.done_at) filter (where d.status = 'done')`)} as success
    from alerts own
    join alerts a on a.account_id = own.account_id and a.webhook_url = own.webhook_url
    join alert_deliveries d on d.alert_id = a.id and d.kind <> 'ended'
    where own.id = ${alertId}`
  if (!row || row.first === null) return null
  return Math.max(row.first, row.success ?? 0)
}

type Ending = { readonly reason: string; readonly nowMs: number }

/** Ends all alerts to the URL of a claim, and the deliveries that wait for it. */
function switchedOff(
  database: Database,
  { accountId, to }: Claim,
  { reason, nowMs }: Ending,
): Promise<SwitchedOff> {
  const url = to.kind === 'webhook' ? to.url : ''
  return database.sql.begin(async (tx) => {
    const ended = await tx<{ name: string }[]>`
      update alerts set status = 'failing', reason = ${reason}
      where account_id = ${accountId} and webhook_url = ${url} and status = 'active'
      returning coalesce(name, source || '/' || target) as name`
    const lost = await tx<{ kind: DeliveryKind }[]>`
      update alert_deliveries d set status = 'given_up', claimed_until = null,
        done_at = ${instantText(nowMs)}, last_error = coalesce(last_error, ${reason})
      from alerts a
      where a.id = d.alert_id and a.account_id = ${accountId} and a.webhook_url = ${url}
        and d.status = 'waiting' and d.kind <> 'ended'
      returning d.kind`
    if (ended.length > 0) await tx`select ${announced(database, { kind: 'alerts', accountId })}`
    const names = ended.map(({ name }) => name).sort()
    return { alerts: names, lost: lost.filter(({ kind }) => kind === 'fired').length }
  })
}

/** Makes deliveries due that lie further ahead than a retry does: the clock was turned back. */
async function recalled(sql: Sql, nowMs: number): Promise<number> {
  const now = instantText(nowMs)
  const { count } = await sql`update alert_deliveries set next_at = ${now}
    where status = 'waiting' and next_at > ${now}::timestamptz + interval '1 millisecond'
      * (${[...AHEAD_MS_MAX]}::float8[])[least(tries + 1, ${AHEAD_MS_MAX.length})]`
  return count
}

async function dueSince(sql: Sql, nowMs: number): Promise<number | null> {
  const [row] = await sql<{ at: number | null }[]>`
    select ${msOf(sql, sql`min(next_at)`)} as at from alert_deliveries
    where status = 'waiting' and next_at <= ${instantText(nowMs)}
      and (claimed_until is null or claimed_until < clock_timestamp())`
  return row?.at ?? null
}

/** Deletes ended deliveries that are older than a month, or not among the last of their alert. */
async function prune(sql: Sql, nowMs: number): Promise<void> {
  await sql`delete from alert_deliveries where status <> 'waiting'
    and created_at < ${instantText(nowMs)}::timestamptz - ${KEPT_DAYS} * interval '1 day'`
  await sql`delete from alert_deliveries where status <> 'waiting' and id in (
    select id from (
      select id, row_number() over (
        partition by alert_id order by created_at desc, id desc) as place
      from alert_deliveries) as placed
    where place > ${DELIVERIES_MAX})`
}
