import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Sql } from '~/store/database.ts'
import { DATABASE_AWAY, type Fault } from '../fault.ts'
import type { Scene } from '../scene.ts'

const POLL_MS = 100

/** Another client takes every connection of the server, including those of the services. */
export const connectionsExhausted: Fault = {
  name: 'connections exhausted',
  rules: DATABASE_AWAY,
  async play({ scene, isSmall, note }) {
    const hoard: Sql[] = []
    await fill(scene, hoard)
    await scene.admin.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'corridor'
        and usename = 'service' and pid <> all(${await pidsOf(hoard)}::int[])`
    const endAt = performance.now() + (isSmall ? 3_000 : 15_000)
    while (performance.now() < endAt) {
      await fill(scene, hoard)
      await delay(POLL_MS)
    }
    note('connections taken', hoard.length)
    await Promise.all(hoard.map((sql) => sql.end({ timeout: 0 })))
  },
}

/** Opens connections until the server refuses one. */
async function fill({ template, server }: Scene, hoard: Sql[]): Promise<void> {
  for (;;) {
    const sql = connect(template.serviceUrl(server.port), { connectionsMax: 1, idleSeconds: null })
    try {
      await sql`select 1`
      hoard.push(sql)
    } catch {
      await sql.end({ timeout: 0 })
      return
    }
  }
}

async function pidsOf(hoard: readonly Sql[]): Promise<number[]> {
  const rows = await Promise.all(
    hoard.map(
      (sql) => sql<{ pid: number }[]>`
    select pg_backend_pid() as pid`,
    ),
  )
  return rows.map(([row]) => row!.pid)
}
