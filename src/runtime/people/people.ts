import { setTimeout as delay } from 'node:timers/promises'
import { unknownPath } from '~/app.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import type { Sending } from '~/domain/feed/silence.ts'
import type { Addresses } from '~/http/edge/address.ts'
import { mountOf } from '~/http/edge/mount.ts'
import type { Route } from '~/http/route.ts'
import { publishAccess } from '~/jobs/refresh.ts'
import type { Job } from '~/jobs/schedule.ts'
import { AddressLimits } from '~/memory/address-limits.ts'
import type { Generation, Memory } from '~/memory/memory.ts'
import type { AlertPageDeps } from '~/portal/alert/member-routes.ts'
import { cookiePrefixOf } from '~/portal/cookies.ts'
import { mailerOf } from '~/portal/member/mailer.ts'
import { Outbox } from '~/portal/member/outbox.ts'
import type { OperatorDeps } from '~/portal/operator/admission.ts'
import type { PageDeps } from '~/portal/page.tsx'
import { type PeopleDeps, peopleRoutes } from '~/portal/people-routes.ts'
import { tableReader } from '~/runtime/file/table-reader.ts'
import { newKey } from '~/runtime/new-key.ts'
import type { Recorder } from '~/runtime/recorder.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import { fingerprintsBy, type SharedSecret } from '~/runtime/shared-secret.ts'
import type { Metering } from '~/service/metering.ts'
import { draftsSinceMs } from '~/service/recording/upload.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { isOutage } from '~/store/outage.ts'
import { createAuditStore } from '~/store/portal/audit-store.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import { createUploadStore } from '~/store/recording/upload-store.ts'
import { applicationsOf, FORMS } from './applications.ts'
import { authOf, type Deterrents, profilesOf } from './ways-in.ts'

type PeopleOptions = ServiceOptions & {
  readonly memory: Memory
  readonly metering: Metering
  readonly work: OperatorDeps['work']
  readonly alerting: AlertPageDeps['alerting']
  readonly recorder: Recorder
  readonly addresses: Addresses
  readonly secret: SharedSecret
  /** The address that the service listens on, used if no setting gives a public one. */
  readonly listensAt: () => string
}

const DETERRENTS: Deterrents = { waited: (ms) => delay(ms) }

/** Everything for people who sign in: accounts, keys, and the operator's view. */
export class People {
  readonly jobs: readonly Job[]
  readonly #outbox: Outbox
  readonly #deps: Omit<PeopleDeps, 'pages'>

  constructor(options: PeopleOptions) {
    const { config, database, log, addresses, listensAt, secret } = options
    const { passwords, waited } = options.deterrents ?? DETERRENTS
    const store = createPortalStore(database)
    const publicOrigin = config.publicUrl === null ? null : new URL(config.publicUrl).origin
    const home = () => config.publicUrl ?? listensAt()
    const mount = mountOf(config.publicUrl)
    const cookiePrefix = cookiePrefixOf(config.publicUrl)
    const mailer = mailerOf({ ...config, isSample: options.memory.isSample })
    this.#outbox = new Outbox({ mailer, log, home, languageOf: store.languageOf })
    const shared = { secret, cookiePrefix, cookiePath: mount || '/' }
    const auth = authOf(database, {
      ...shared,
      onLink: (link) => this.#outbox.post(link),
      onFault: (message) => log.error({}, message),
      passwords,
    })
    const applications = applicationsOf(options, shared)
    const uploads = createUploadStore(database)
    this.jobs = [pruningJob(options, { store, applications, uploads })]
    this.#deps = {
      ...options,
      ...storesOf(options),
      ...applications,
      uploading: { store: options.recorder, uploads, read: tableReader() },
      ...{ people: auth, codes: auth, members: store, attempts: store, newKey, isOutage },
      ...profilesOf(options, { ...shared, home }),
      onAddressLink: (link) => this.#outbox.post({ kind: 'confirmAddress', ...link }),
      unknownPath: () => unknownPath(mount),
      fingerprint: fingerprintsBy(secret),
      endings: createAlertStore(database),
      mailboxes: store,
      onSubscription: (link) => this.#outbox.post(link),
      waited,
      notify: this.#outbox.tell,
      addressOf: addresses.of,
      forms: new AddressLimits(FORMS),
      publicUrl: config.publicUrl,
      ...{ publicOrigin, home, cookiePrefix },
      isProxied: config.trustedProxies > 0,
      isMailed: mailer !== null,
      warm: () => auth.warm(),
      ageLimits: config,
    }
  }

  readonly routes = (pages: PageDeps): readonly Route[] => peopleRoutes({ ...this.#deps, pages })

  /** Waits for emails in progress, except those that take too long. */
  stop(): Promise<void> {
    return this.#outbox.stop()
  }
}

type Pruned = {
  readonly store: Pick<ReturnType<typeof createPortalStore>, 'prune'>
  readonly applications: Pick<ReturnType<typeof applicationsOf>, 'connections'>
  readonly uploads: Pick<ReturnType<typeof createUploadStore>, 'pruneDrafts'>
}

/** The job that deletes expired links, sessions and tokens, and uploaded tables never recorded. */
export const pruningJob = (
  { clock, config }: Pick<ServiceOptions, 'clock'> & { config: { sessionIdleMs: number } },
  { store, applications, uploads }: Pruned,
): Job => ({
  name: 'prune-people',
  pattern: '2 * * * *',
  async run() {
    await store.prune(clock.now(), config.sessionIdleMs)
    await applications.connections.prune(clock.now())
    await uploads.pruneDrafts(draftsSinceMs(clock.now()))
  },
})

function storesOf({ database, memory, clock }: PeopleOptions) {
  const accounts = createAccountStore(database)
  const audit = createAuditStore(database)
  const sendings = createSendingStore(database)
  return {
    keyStore: accounts,
    usage: createUsageStore(database),
    published: (accountId: string) =>
      publishAccess({ memory, clock }, () => accounts.loadAccount(accountId)),
    operated: {
      page: accounts.page,
      update: accounts.update,
      revokeKey: accounts.revokeKey,
      changes: audit.page,
      sendings: sendingsOnce(memory, sendings.all),
    },
  }
}

type Ask = (nowMs: number) => Promise<readonly Sending[]>

/** The longest time for which a response is cached: silence grows by itself. */
const KEPT_MS_MAX = MINUTE_MS

type Kept = { readonly atMs: number; readonly answer: ReturnType<Ask> }

/** Queries once for each publication and minute, as the response takes a probe of every series. */
export function sendingsOnce(memory: Pick<Memory, 'current'>, ask: Ask): Ask {
  const kept = new WeakMap<Generation, Kept>()
  return (nowMs) => {
    const { current } = memory
    const known = kept.get(current)
    if (known && Math.abs(nowMs - known.atMs) < KEPT_MS_MAX) return known.answer
    const answer = ask(nowMs)
    kept.set(current, { atMs: nowMs, answer })
    answer.catch(() => kept.delete(current))
    return answer
  }
}
