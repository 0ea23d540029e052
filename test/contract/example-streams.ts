import type { Database } from '~/store/database.ts'
import type { ExampleAccounts } from './example-accounts.ts'
import type { Run } from './example-run.ts'

const NOBODY_BYTES = 32
const MOMENT_BYTES = 6
const SEAL_BYTES = 32

/** A well-formed token, valid for a minute, with a wrong seal. */
function unsealed(nowMs: number): string {
  const bytes = Buffer.alloc(NOBODY_BYTES + MOMENT_BYTES + SEAL_BYTES)
  bytes.writeUIntBE(nowMs + 60_000, NOBODY_BYTES, MOMENT_BYTES)
  return `crs_${bytes.toString('base64url')}`
}

/**
 * Records the refusals of streams; and a token, which needs a secret that is not available at
 * first.
 */
export async function recordStreams(
  run: Run,
  { sql }: Database,
  { accounts, nowMs }: { accounts: ExampleAccounts; nowMs: number },
): Promise<void> {
  const [stream, token] = [run.target('stream'), run.target('createStreamToken')]
  const corridors = 'GBP/KES'
  const shown = { key: '', query: { corridors, token: unsealed(nowMs) } }
  await sql`alter table portal_secret rename to moved_secret`
  await run.fail(token, {})
  await run.fail(stream, shown)
  await sql`alter table moved_secret rename to portal_secret`
  run.keep(token.id, 200, { answer: await run.ask(token, {}) })
  await run.fail(stream, shown)
  await run.fail(stream, { query: {} })
  for (const wrong of ['GBP/KSH', 'KES/KES', 'GBPKES'])
    await run.fail(stream, { query: { corridors: wrong } })
  await run.fail(stream, { query: { corridors: '*' }, key: accounts.hourly })
  const end = new AbortController()
  for (const key of [accounts.hourly, accounts.realtime]) {
    for (let i = 0; i < 2; i++) await run.open(stream, key, end.signal)
    await run.fail(stream, { key })
  }
  end.abort()
}
