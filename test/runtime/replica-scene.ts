import { loadConfig } from '~/config.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { Service } from '~/runtime/service.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { connect, type Database } from '~/store/database.ts'
import { otherHandle } from '../store/samples.ts'
import { clockAt, type HandClock } from '../support/clock.ts'
import { fetchUnderContract } from '../support/contract.ts'
import { KeptLog } from '../support/log.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { type Reply, replyOf } from '../support/world.ts'

export const AT = '2026-03-05T14:25:30.500Z'

type ReplicaOptions = {
  clock?: HandClock
  settings?: Record<string, string>
  /** Its database; a direct connection if absent. */
  database?: Database
}

/** `corridor serve` in this process, one of several on a database, with a clock set by hand. */
export class Replica {
  private constructor(
    readonly service: Service,
    readonly clock: HandClock,
    readonly log: KeptLog,
  ) {}

  static async start(fresh: FreshDatabase, options: ReplicaOptions = {}): Promise<Replica> {
    const replica = await Replica.open(fresh, options)
    await replica.service.start()
    return replica
  }

  /** A replica that has loaded memory and does not listen yet. */
  static async open(fresh: FreshDatabase, options: ReplicaOptions = {}): Promise<Replica> {
    const { clock = clockAt(AT), settings = {}, database = otherHandle(fresh) } = options
    const log = new KeptLog()
    const config = loadConfig({ PORT: '0', REFERENCE_FEED: 'none', ...settings })
    const service = new Service({ config, clock, log, database, sample: null })
    await service.open()
    return new Replica(service, clock, log)
  }

  /** The response to a request below the base path, checked against the document. */
  async get(path: string, key: string): Promise<Reply> {
    const init = { headers: { 'x-api-key': key } }
    return this.#asked(new Request(`${this.service.origin}/api/v1${path}`, init))
  }

  async post(rows: object, key: string, headers: Record<string, string> = {}): Promise<Reply> {
    const init = {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(rows),
    }
    return this.#asked(new Request(`${this.service.origin}/api/v1/rates`, init))
  }

  async withdraw(ids: readonly number[], key: string): Promise<Reply> {
    const init = {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ observations: ids, reason: 'a mistake' }),
    }
    return this.#asked(new Request(`${this.service.origin}/api/v1/rates/withdrawals`, init))
  }

  async #asked(request: Request): Promise<Reply> {
    return replyOf(await fetchUnderContract(this.service.origin)(request))
  }
}

let accounts = 0

/** An account with some keys, created as by an operator's command, in another process. */
export async function addAccount(
  database: Database,
  { plan = 'enterprise', role = 'member', keys = 1 }: { plan?: Plan; role?: Role; keys?: number },
) {
  const store = createAccountStore(database)
  const texts = Array.from({ length: keys }, () =>
    newApiKey((count) => crypto.getRandomValues(new Uint8Array(count))),
  )
  const email = `replicas-${++accounts}@example.com`
  const [first, ...others] = texts
  const made = await store.create({
    email,
    plan,
    role,
    keyName: 'first',
    keyHash: keyHashOf(first!),
  })
  const ids = [made.key.id]
  for (const text of others) {
    const key = await store.createKey({
      accountId: made.account.id,
      name: 'other',
      hash: keyHashOf(text),
      actor: COMMAND_LINE,
    })
    ids.push(key!.id)
  }
  return { id: made.account.id, keys: texts, keyIds: ids }
}

/** A handle on a database that goes through another address. */
export function handleAt(fresh: FreshDatabase, port: number): Database {
  const url = new URL(fresh.url)
  url.port = String(port)
  const sql = connect(url.href, { connectionsMax: 4 })
  return { ...otherHandle(fresh), sql, close: () => sql.end({ timeout: 1 }) }
}
