import type { Database } from '~/store/database.ts'

export type Switch = {
  readonly providerId: string
  readonly isActive: boolean
  readonly atMs: number
}

/** Switches a provider on or off at a time, as the trigger does it by the server's clock. */
export async function switchProvider(
  { sql }: Database,
  { providerId, isActive, atMs }: Switch,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update providers set is_active = ${isActive} where id = ${providerId}`
    await tx`insert into provider_activity (provider_id, is_active, since)
      values (${providerId}, ${isActive}, ${new Date(atMs).toISOString()}::timestamptz)`
  })
}
