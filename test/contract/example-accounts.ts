import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import type { Database } from '~/store/database.ts'

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const RECORDED_AT = '2026-03-05T14:25:30.500Z'
/** Times by the clock of the database, which differs from the clock of the examples. */
const OF_TODAY = new RegExp(`${new Date().toISOString().slice(0, 10)}T[\\d:.]+Z`, 'g')
const UUID = /[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/g
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const WEBHOOK_SECRET = /whsec_[\w+/=]+/g
const TOKEN = 'crs_Iu7172jZTfeTZKtF4IBBTbvwvYR4'
const STREAM_TOKEN = /crs_[\w-]+/g

/** The keys of the examples. */
export class ExampleAccounts {
  hourly = ''
  realtime = ''
  member = ''
  revoked = ''

  static async in(database: Database, nowMs: number): Promise<ExampleAccounts> {
    const accounts = new ExampleAccounts()
    const store = createAccountStore(database)
    const added = async (plan: Plan, role: Role) => {
      const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
      const email = `${plan}-${role}@corridor.example`
      const made = await store.create({
        email,
        plan,
        role,
        keyName: 'default',
        keyHash: keyHashOf(key),
      })
      return { key, id: made.key.id }
    }
    accounts.hourly = (await added('free', 'member')).key
    accounts.realtime = (await added('enterprise', 'treasury')).key
    accounts.member = (await added('pro', 'member')).key
    const revoked = await added('pro', 'treasury')
    await store.revokeKey(revoked.id, nowMs, { actor: COMMAND_LINE })
    accounts.revoked = revoked.key
    return accounts
  }

  /** The value with one fixed id, secret, token and time of recording instead of generated ones. */
  withoutIds<T>(value: T): T {
    const withoutSecrets = JSON.stringify(value)
      .replaceAll(WEBHOOK_SECRET, SECRET)
      .replaceAll(STREAM_TOKEN, TOKEN)
    return JSON.parse(withoutSecrets.replaceAll(UUID, ID).replaceAll(OF_TODAY, RECORDED_AT))
  }
}
