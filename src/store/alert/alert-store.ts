import { and, asc, count, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type {
  Alert,
  AlertStatus,
  CreatedAlert,
  Destination,
  FirstEvaluation,
  KeptChange,
  NewAlert,
} from '~/domain/alert/alert.ts'
import { LISTED_MAX } from '~/domain/alert/alert.ts'
import { lockAccount } from '~/store/access/key-store.ts'
import type { Database, Db, Tx } from '~/store/database.ts'
import { instantText, isUuid } from '~/store/encoding.ts'
import { announce } from '~/store/notification-channel.ts'
import { portalUsers } from '~/store/portal/schema.ts'
import { alertDeliveries, alerts } from './schema.ts'

type AlertRow = typeof alerts.$inferSelect

/** Alerts as their owners see and change them. An id that is not a uuid is unknown. */
export function createAlertStore(database: Database) {
  const { db } = database
  return {
    list: (accountId: string) => listOf(db, accountId),
    async find(accountId: string, id: string): Promise<Alert | null> {
      if (!isUuid(id)) return null
      const [row] = await db.select().from(alerts).where(own(accountId, id))
      return row ? alertOf(row) : null
    },
    known: (id: string) => known(db, id),
    create: (made: NewAlert, max: number) => create(database, made, max),
    change: async (accountId: string, id: string, change: KeptChange, max: number) =>
      isUuid(id) ? changed(database, { accountId, id, change, max }) : null,
    async remove(accountId: string, id: string): Promise<Alert | null> {
      if (!isUuid(id)) return null
      return db.transaction(async (tx) => {
        const [row] = await tx.delete(alerts).where(own(accountId, id)).returning()
        if (row) await announce(database, tx, { kind: 'alerts', accountId })
        return row ? alertOf(row) : null
      })
    },
    async rotate(accountId: string, id: string, { secret, oldEndsMs, nowMs }: Rotation) {
      if (!isUuid(id)) return null
      const old = { oldSecret: sql`${alerts.secret}`, oldSecretEndsMs: oldEndsMs }
      const [row] = await db
        .update(alerts)
        .set({ secret, ...old, olderSecrets: olderSecretsAt(nowMs) })
        .where(and(own(accountId, id), sql`${alerts.webhookUrl} is not null`))
        .returning()
      return row ? alertOf(row) : null
    },
    async addressOf(accountId: string): Promise<string | null> {
      const isTheirs = and(eq(portalUsers.accountId, accountId), portalUsers.emailVerified)
      const [user] = await db.select().from(portalUsers).where(isTheirs)
      return user?.email ?? null
    },
    end: (id: string, ending: Ending) => end(database, id, ending),
    async prune(beforeMs: number): Promise<void> {
      const isOver = and(eq(alerts.status, 'ended'), lt(alerts.endedMs, beforeMs))
      await db.delete(alerts).where(isOver)
    },
  }
}

/** Returns an alert by its id, whatever its account. */
const own = (accountId: string, id: string) =>
  and(eq(alerts.accountId, accountId), eq(alerts.id, id))

async function known(db: Db, id: string): Promise<Alert | null> {
  if (!isUuid(id)) return null
  const [row] = await db.select().from(alerts).where(eq(alerts.id, id))
  return row ? alertOf(row) : null
}

type Rotation = {
  readonly secret: string
  readonly oldEndsMs: number
  readonly nowMs: number
}

/** The replaced secrets that still sign, to be retained when another one is replaced. */
const olderSecretsAt = (nowMs: number) => sql`(
  select coalesce(jsonb_agg(one), '[]') from (
    select one from jsonb_array_elements(${alerts.olderSecrets}) one union all
    select jsonb_build_object('secret', ${alerts.oldSecret}, 'ends_at', ${alerts.oldSecretEndsMs})
  ) replaced
  where (one ->> 'ends_at')::timestamptz > ${instantText(nowMs)}::timestamptz
)`

type Ending = {
  readonly status: Extract<AlertStatus, 'ended' | 'failing'>
  readonly reason: string
  readonly nowMs: number
}

export const alertOf = (row: AlertRow): Alert => ({
  id: row.id,
  accountId: row.accountId,
  createdMs: row.createdMs,
  name: row.name,
  corridor: { from: row.source, to: row.target },
  sourceCountry: row.sourceCountry,
  targetCountry: row.targetCountry,
  amount: row.amount,
  when: { field: row.field, op: row.op, value: row.value, periodMs: row.periodMs },
  to: row.webhookUrl === null ? { kind: 'email' } : { kind: 'webhook', url: row.webhookUrl },
  isOnce: row.isOnce,
  status: row.status,
  reason: row.reason,
  revision: row.revision,
  standing: { isTrue: row.isTrue, base: row.base },
  evaluatedPosition: row.evaluatedPosition,
  lastValue: row.lastValue,
  firedMs: row.firedMs,
})

/** Returns the active alerts, oldest first, then the ended ones, newest first. */
async function listOf(db: Db, accountId: string): Promise<Alert[]> {
  const rows = await db
    .select()
    .from(alerts)
    .where(eq(alerts.accountId, accountId))
    .orderBy(
      asc(sql`${alerts.status} = 'ended'`),
      desc(alerts.endedMs),
      asc(alerts.createdMs),
      asc(alerts.id),
    )
    .limit(LISTED_MAX)
  return rows.map(alertOf)
}

/** Null if the account has as many as it may; those that have ended and are too many go. */
function create(database: Database, made: NewAlert, max: number): Promise<CreatedAlert | null> {
  return database.db.transaction(async (tx) => {
    await lockAccount(tx, made.accountId)
    const isHeld = made.id !== undefined && eq(alerts.id, made.id)
    const [held] = isHeld ? await tx.select().from(alerts).where(isHeld) : []
    if (held) return createdOf(held)
    if (!(await hasRoom(tx, made.accountId, max))) return null
    const [row] = await tx
      .insert(alerts)
      .values({
        ...(made.id !== undefined && { id: made.id }),
        accountId: made.accountId,
        createdMs: made.createdMs,
        name: made.name,
        source: made.corridor.from,
        target: made.corridor.to,
        sourceCountry: made.sourceCountry,
        targetCountry: made.targetCountry,
        amount: made.amount,
        ...made.when,
        webhookUrl: urlOf(made.to),
        isOnce: made.isOnce,
        ...evaluatedColumns(made),
        secret: made.secret,
      })
      .returning()
    await forgetEnded(tx, made.accountId)
    await announce(database, tx, { kind: 'alerts', accountId: made.accountId })
    return createdOf(row!)
  })
}

const createdOf = (row: AlertRow): CreatedAlert => ({ alert: alertOf(row), secret: row.secret })

type Changing = {
  readonly accountId: string
  readonly id: string
  readonly change: KeptChange
  readonly max: number
}

/** Returns null for an alert that does not exist; `full` if an ended one has no room any more. */
function changed(database: Database, { accountId, id, change, max }: Changing) {
  return database.db.transaction(async (tx): Promise<Alert | 'full' | null> => {
    await lockAccount(tx, accountId)
    const isThis = own(accountId, id)
    const [old] = await tx.select().from(alerts).where(isThis).for('update')
    if (!old) return null
    const isRevived = old.status === 'ended' && change.status !== undefined
    if (isRevived && !(await hasRoom(tx, accountId, max))) return 'full'
    const { name, isOnce, to, amount, when, status, secret, evaluated } = change
    const [row] = await tx
      .update(alerts)
      .set({
        ...(name !== undefined && { name }),
        ...(isOnce !== undefined && { isOnce }),
        ...(to && { webhookUrl: urlOf(to) }),
        ...(secret !== undefined && { secret, ...NO_OLD_SECRETS }),
        ...(amount !== undefined && { amount }),
        ...when,
        ...(status && { status, reason: null, endedMs: null }),
        ...(evaluated && { ...evaluatedColumns(evaluated), revision: old.revision + 1 }),
      })
      .where(isThis)
      .returning()
    if (secret !== undefined) await beginAnew(tx, id)
    await announce(database, tx, { kind: 'alerts', accountId })
    return alertOf(row!)
  })
}

const NO_OLD_SECRETS = { oldSecret: null, oldSecretEndsMs: null, olderSecrets: [] }

/** Forgets since when waiting deliveries have failed: that was at another destination. */
async function beginAnew(tx: Tx, id: string): Promise<void> {
  const isWaiting = and(eq(alertDeliveries.alertId, id), eq(alertDeliveries.status, 'waiting'))
  await tx.update(alertDeliveries).set({ firstFailedAt: null }).where(isWaiting)
}

const evaluatedColumns = ({ standing, evaluatedPosition, lastValue }: FirstEvaluation) => ({
  ...standing,
  evaluatedPosition,
  lastValue,
})

const urlOf = (to: Destination) => (to.kind === 'webhook' ? to.url : null)

/** Says whether a locked account may have another alert. */
async function hasRoom(tx: Tx, accountId: string, max: number): Promise<boolean> {
  const [held] = await tx
    .select({ count: count() })
    .from(alerts)
    .where(and(eq(alerts.accountId, accountId), ne(alerts.status, 'ended')))
  return held!.count < max
}

async function forgetEnded(tx: Tx, accountId: string): Promise<void> {
  const beyond = tx
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(eq(alerts.accountId, accountId), eq(alerts.status, 'ended')))
    .orderBy(desc(alerts.endedMs), asc(alerts.id))
    .offset(LISTED_MAX)
  await tx.delete(alerts).where(inArray(alerts.id, beyond))
}

/** Ends an alert, or says that it fails, unless it is off already; null for one unknown. */
function end(database: Database, id: string, { status, reason, nowMs }: Ending) {
  return database.db.transaction(async (tx): Promise<Alert | null> => {
    const [old] = await tx.select().from(alerts).where(eq(alerts.id, id)).for('update')
    if (!old) return null
    if (old.status === 'ended' || old.status === status) return alertOf(old)
    const [row] = await tx
      .update(alerts)
      .set({ status, reason, ...(status === 'ended' && { endedMs: nowMs }) })
      .where(eq(alerts.id, id))
      .returning()
    await announce(database, tx, { kind: 'alerts', accountId: old.accountId })
    return alertOf(row!)
  })
}
