import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Alert } from '~/domain/alert/alert.ts'
import { REASONS } from '~/domain/alert/reason.ts'
import type { Transition } from '~/domain/alert/transition.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { announced } from '~/store/notification-channel.ts'
import { rerun } from '~/store/rerun.ts'
import { alertOf } from './alert-store.ts'
import { alertDeliveries, alerts } from './schema.ts'

/** The maximum number of alerts that are evaluated; beyond it the newest are not. */
export const EVALUATED_MAX = 100_000

/** The end of the log as a position; an alert evaluated beyond it comes from a restore. */
const LOG_END = sql<number>`(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint`

export function createEvaluationStore(database: Database) {
  const { db } = database
  return {
    async active(accountId: string | null): Promise<Alert[]> {
      const isTheirs = accountId === null ? undefined : eq(alerts.accountId, accountId)
      const rows = await db
        .select({ row: alerts, isForeign: sql<boolean>`${alerts.evaluatedPosition} > ${LOG_END}` })
        .from(alerts)
        .where(and(eq(alerts.status, 'active'), isTheirs))
        .orderBy(asc(alerts.createdMs), asc(alerts.id))
        .limit(EVALUATED_MAX)
      return rows.map(({ row, isForeign }) => ({
        ...alertOf(row),
        ...(isForeign && { evaluatedPosition: 0 }),
      }))
    },
    async monthlyWaiting(): Promise<number> {
      const [row] = await db
        .select({ count: count() })
        .from(alertDeliveries)
        .innerJoin(alerts, eq(alerts.id, alertDeliveries.alertId))
        .where(
          and(
            eq(alerts.field, 'monthly'),
            eq(alertDeliveries.status, 'waiting'),
            eq(alertDeliveries.tries, 0),
          ),
        )
      return row!.count
    },
    recordMonthly: (messages: readonly MonthlyMessage[], sinceMs: number) =>
      recordMonthly(database, messages, sinceMs),
    settle: (transitions: readonly Transition[]) => rerun(() => settled(database, transitions)),
    /** Stores the values that moves are measured from, and notifies all processes if any is new. */
    async rebase(bases: readonly NewBase[]): Promise<void> {
      const { sql: query } = database
      await query`
        with fresh as (
          select * from jsonb_to_recordset(${JSON.stringify(bases)}::text::jsonb)
            as new(id uuid, revision int, base float8)
        ), kept as (
          update alerts a set base = fresh.base from fresh
          where a.id = fresh.id and a.revision = fresh.revision
            and a.base is distinct from fresh.base
          returning a.id
        )
        select ${announced(database, { kind: 'alerts' })} from kept limit 1`
    },
  }
}

type MonthlyMessage = { readonly id: string; readonly body: string; readonly atMs: number }

/** Stores messages to send, each with the alert that fires, unless the alert fired since. */
async function recordMonthly(
  database: Database,
  messages: readonly MonthlyMessage[],
  sinceMs: number,
) {
  const { sql: query } = database
  const rows = messages.map(({ atMs, ...one }) => ({ ...one, at: instantText(atMs) }))
  await query`
    with new as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        as new(id uuid, body text, at timestamptz)
    ), kept as (
      update alerts a set fired_at = new.at,
        status = case when a.is_once then 'ended' else a.status end,
        ended_at = case when a.is_once then new.at else a.ended_at end,
        reason = case when a.is_once then ${REASONS.once} else a.reason end
      from new
      where a.id = new.id and a.status = 'active' and a.field = 'monthly'
        and coalesce(a.fired_at, a.created_at) < ${instantText(sinceMs)}
      returning a.id, new.body, new.at
    ), messages as (
      insert into alert_deliveries (alert_id, kind, body, created_at, next_at)
      select id, 'fired', body, at, at from kept
      returning id
    )
    select ${announced(database, { kind: 'deliveries' })} from messages limit 1`
}

type NewBase = {
  readonly id: string
  readonly revision: number
  readonly base: number | null
}

/**
 * Stores the states of alerts with their deliveries in one transaction, at most one transition of
 * an alert. Returns the ids of the stored ones: another process may have been faster, or the alert
 * may have changed.
 */
async function settled(
  database: Database,
  transitions: readonly Transition[],
): Promise<ReadonlySet<string>> {
  const { sql: query } = database
  const rows = transitions.map(({ alert, was, now, ...one }) => ({
    id: alert.id,
    revision: alert.revision,
    position: one.position,
    was_true: was.isTrue,
    was_base: was.base,
    is_true: now.isTrue,
    base: now.base,
    value: one.value,
    body: one.body,
    at: instantText(one.atMs),
  }))
  const kept = await query<{ id: string }[]>`
    with new as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as new(
        id uuid, revision int, position bigint, was_true boolean, was_base float8,
        is_true boolean, base float8, value float8, body text, at timestamptz)
    ), kept as (
      update alerts a set
        is_true = new.is_true, judged_position = new.position, last_value = new.value,
        base = case when a.op = 'moves_pct' and a.period_ms is null then new.base else a.base end,
        fired_at = case when new.body is null then a.fired_at else new.at end,
        status = case when a.is_once and new.body is not null then 'ended' else a.status end,
        ended_at = case when a.is_once and new.body is not null then new.at else a.ended_at end,
        reason = case when a.is_once and new.body is not null
          then ${REASONS.once} else a.reason end
      from new
      where a.id = new.id and a.revision = new.revision and a.status = 'active'
        and (a.judged_position < new.position
          or a.judged_position > (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint)
        and a.is_true = new.was_true
        and (a.op is null or a.op <> 'moves_pct' or a.period_ms is not null
          or a.base is not distinct from new.was_base)
      returning a.id, new.body, new.at
    ), messages as (
      insert into alert_deliveries (alert_id, kind, body, created_at, next_at)
      select id, 'fired', body, at, at from kept where body is not null
      returning id
    ), woken as (
      select ${announced(database, { kind: 'deliveries' })} from messages limit 1
    )
    select id, (select count(*) from woken) from kept`
  return new Set(kept.map(({ id }) => id))
}
