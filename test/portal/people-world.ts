import type { Config } from '~/config.ts'
import { loadConfig } from '~/config.ts'
import type { ListedAccount } from '~/domain/account.ts'
import { type Service, startService } from '~/runtime/service.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { clockAt, type HandClock } from '../support/clock.ts'
import { quickDeterrents } from '../support/deterrents.ts'
import { KeptLog } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { Visitor } from './visitor.ts'

export const PASSWORD = 'correct horse battery'

/** The whole service on a database of its own, with a clock set by hand and links in the log. */
export class PeopleWorld {
  private constructor(
    readonly database: FreshDatabase,
    readonly service: Service,
    readonly clock: HandClock,
    readonly log: KeptLog,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<PeopleWorld> {
    const database = await freshDatabase()
    return PeopleWorld.on(database, env)
  }

  /** A further replica can use the same database. */
  static async on(
    database: FreshDatabase,
    env: Record<string, string> = {},
    outside: Pick<ServiceOptions, 'pace'> = {},
  ): Promise<PeopleWorld> {
    const config: Config = loadConfig({
      PORT: '0',
      REFERENCE_FEED: 'none',
      LOG_SEAL_EVERY: 'off',
      TRUST_PROXY: '1',
      SHUTDOWN_DELAY: 'off',
      ...env,
    })
    const clock = clockAt(new Date().toISOString())
    const log = new KeptLog()
    const world = { config, clock, log, database, sample: null, ...outside }
    const service = await startService({ ...world, deterrents: quickDeterrents() })
    return new PeopleWorld(database, service, clock, log)
  }

  get origin(): string {
    return this.service.origin
  }

  visitor(): Visitor {
    return new Visitor(this.origin)
  }

  /** The links sent to an address, oldest first, as paths. */
  linksTo(email: string): string[] {
    return this.log.lines.flatMap(({ context }) => {
      const { to, link } = context as { to?: string; link?: string }
      return to === email && link ? [link] : []
    })
  }

  /** Signs up a person, follows the link, and returns a browser that is signed in. */
  async member(email = newEmail()): Promise<Member> {
    const visitor = this.visitor()
    await visitor.submit('/sign-up', { email, password: PASSWORD })
    const link = pathOf(this.linksTo(email).at(-1)!)
    const reply = await visitor.submit(link, { password: PASSWORD })
    return { email, visitor, key: keyIn(reply.html), link }
  }

  /** A signed-in person with the admin role. */
  async admin(): Promise<Member> {
    const email = newEmail()
    const keyHash = crypto.randomUUID().replaceAll('-', '').padStart(64, '0')
    const account = { email, plan: 'free', role: 'admin', keyName: 'k', keyHash } as const
    await createAccountStore(this.database).create(account)
    return this.member(email)
  }

  async accountOf({ email }: Pick<Member, 'email'>): Promise<ListedAccount> {
    const asked = { search: email, limit: 1, offset: 0 }
    const { accounts } = await createAccountStore(this.database).page(asked)
    return accounts[0]!
  }

  /** The status of an API call with a key. */
  async asked(key: string, path = '/currencies'): Promise<number> {
    const headers = { 'x-api-key': key }
    return (await fetch(`${this.origin}/api/v1${path}`, { headers })).status
  }

  stop(): Promise<void> {
    return this.service.stop()
  }
}

export type Member = {
  readonly email: string
  readonly visitor: Visitor
  /** The first key; null for an account that existed before. */
  readonly key: string | null
  /** The path of the link that confirmed the address. */
  readonly link: string
}

export const newEmail = (): string => `${crypto.randomUUID()}@example.com`

export const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

export const keyIn = (html: string): string | null => /crd_[0-9A-Za-z]{38}/.exec(html)?.[0] ?? null
