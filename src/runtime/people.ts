import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { unknownPath } from '~/app.ts'
import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { connectionHash } from '~/domain/api-key.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import type { Addresses } from '~/http/edge/address.ts'
import { mountOf } from '~/http/edge/mount.ts'
import type { Route } from '~/http/route.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import { AddressLimits } from '~/memory/address-limits.ts'
import type { Memory } from '~/memory/memory.ts'
import { alertRoutes } from '~/portal/alert/alert-routes.ts'
import { type AlertEndDeps, alertEndRoutes } from '~/portal/alert/end-routes.tsx'
import type { AlertPageDeps } from '~/portal/alert/member-routes.ts'
import { type SubscribePageDeps, subscribeRoutes } from '~/portal/alert/subscribe-routes.tsx'
import { type ConsentDeps, consentRoutes } from '~/portal/consent/consent-routes.tsx'
import { type MachineDeps, machineRoutes } from '~/portal/consent/machine-routes.ts'
import { cookiePrefixOf } from '~/portal/cookies.ts'
import { type DeveloperDeps, developerRoutes } from '~/portal/member/developer-routes.tsx'
import { entranceRoutes } from '~/portal/member/entrance-routes.tsx'
import { mailerOf } from '~/portal/member/mailer.ts'
import { Outbox } from '~/portal/member/outbox.ts'
import type { OperatorDeps } from '~/portal/operator/admission.ts'
import { operatorRoutes } from '~/portal/operator/routes.tsx'
import type { PageDeps } from '~/portal/page.tsx'
import { pricesRoutes } from '~/portal/prices/prices-routes.ts'
import type { PricesDeps } from '~/portal/prices/treasurer.ts'
import { factorRoutes } from '~/portal/profile/factor-routes.ts'
import { type ProfilePageDeps, profileRoutes } from '~/portal/profile/profile-routes.ts'
import { secondStepRoutes } from '~/portal/profile/second-step.tsx'
import type { Metering } from '~/service/metering.ts'
import { draftsSinceMs } from '~/service/recording/upload.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import type { Database } from '~/store/database.ts'
import { isOutage } from '~/store/outage.ts'
import { createAuditStore } from '~/store/portal/audit-store.ts'
import { createAuth } from '~/store/portal/auth.ts'
import type { AuthOptions, PasswordHashing } from '~/store/portal/better-auth.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { createFactorStore } from '~/store/portal/factor-store.ts'
import { keptOf } from '~/store/portal/kept-store.ts'
import { createOAuth } from '~/store/portal/oauth.ts'
import { createPasskeys } from '~/store/portal/passkeys.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'
import { createProfileStore } from '~/store/portal/profile-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import { createSessionStore } from '~/store/portal/session-store.ts'
import { createUploadStore } from '~/store/recording/upload-store.ts'
import { SCOPES } from '~/wire/connection/metadata.ts'
import { applicationDocuments } from './application-documents.ts'
import { tableReader } from './file/table-reader.ts'
import { newKey } from './new-key.ts'
import type { Recorder } from './recorder.ts'
import { sendingsOnce } from './sendings.ts'
import { fingerprintsBy, type SharedSecret } from './shared-secret.ts'
import type { Pace } from './upstream/stopping.ts'

/** Measures that make it costly and slow to guess addresses and passwords. */
export type Deterrents = {
  readonly passwords?: PasswordHashing
  waited(ms: number): Promise<void>
}

type PeopleOptions = {
  readonly config: Pick<
    Config,
    | 'mailFrom'
    | 'midMaxAgeMs'
    | 'publicUrl'
    | 'quoteImplausibleTimes'
    | 'quoteMaxAgeMs'
    | 'quoteSuspectPct'
    | 'secondFactorRoles'
    | 'sessionIdleMs'
    | 'smtpUrl'
    | 'staleAfterMs'
    | 'trustedProxies'
  >
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly memory: Memory
  readonly metering: Metering
  readonly work: OperatorDeps['work']
  readonly alerting: AlertPageDeps['alerting']
  /** Records and withdraws prices. */
  readonly recorder: Recorder
  readonly addresses: Addresses
  readonly secret: SharedSecret
  /** The address that the service listens on, used if no setting gives a public one. */
  readonly listensAt: () => string
  readonly deterrents?: Deterrents
  /** Pace of requests for applications' documents; by default that of the real world. */
  readonly pace?: Pace
}

const CLIENT_ID_BYTES = 16

const FORMS = { requestsMax: 120, windowMs: MINUTE_MS }

const DETERRENTS: Deterrents = { waited: (ms) => delay(ms) }

type Deps = Omit<
  ProfilePageDeps &
    DeveloperDeps &
    PricesDeps &
    AlertEndDeps &
    SubscribePageDeps &
    OperatorDeps &
    ConsentDeps &
    MachineDeps,
  'pages'
>

/** Everything for people who sign in: accounts, keys, and the operator's view. */
export class People {
  readonly jobs: readonly Job[]
  readonly #outbox: Outbox
  readonly #deps: Deps

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
    const auth = boundedAuth(database, {
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

  readonly routes = (pages: PageDeps): readonly Route[] => {
    const deps = { ...this.#deps, pages }
    return [
      ...entranceRoutes(deps),
      ...secondStepRoutes(deps),
      ...profileRoutes(deps),
      ...factorRoutes(deps),
      ...developerRoutes(deps),
      ...pricesRoutes(deps),
      ...alertRoutes(deps),
      ...alertEndRoutes(deps),
      ...subscribeRoutes(deps),
      ...operatorRoutes(deps),
      ...consentRoutes(deps),
      ...machineRoutes(deps),
    ]
  }

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

/** The job that deletes what is over: links, sessions, tokens, and tables that nobody recorded. */
export const pruningJob = (
  { clock, config }: { clock: Clock; config: Pick<Config, 'sessionIdleMs'> },
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

type Shared = Pick<AuthOptions, 'secret' | 'cookiePrefix' | 'cookiePath'>

/** Each exchange of a code or a token holds two connections, so one at a time leaves the rest. */
const EXCHANGES = {
  runningMax: 1,
  waitingMax: 64,
  refusal: 'too many applications ask for tokens; try again in a moment',
}

/** Dependencies of connecting applications. */
function applicationsOf({ database, log, pace }: PeopleOptions, shared: Shared) {
  const exchanges = new WorkLimit(EXCHANGES)
  const oauth = createOAuth(database, {
    ...shared,
    scopes: SCOPES,
    onFault: (message) => log.error({}, message),
  })
  return {
    machines: new AddressLimits(FORMS),
    connections: createConnectionStore(database, SCOPES),
    oauth: { ...oauth, token: (form: URLSearchParams) => exchanges.run(() => oauth.token(form)) },
    applicationDocument: applicationDocuments(pace),
    newConnectionHash: () => connectionHash((count) => randomBytes(count)),
    newClientId: () => randomBytes(CLIENT_ID_BYTES).toString('hex'),
  }
}

/** Dependencies of people who see and change their own way in. */
function profilesOf({ config, database, log }: PeopleOptions, shared: Shared & { home(): string }) {
  return {
    passkeys: createPasskeys(database, {
      ...shared,
      onFault: (message) => log.warn({}, message),
    }),
    factors: createFactorStore(database),
    sessions: createSessionStore(database),
    profiles: createProfileStore(database),
    keptOf: (own: Parameters<typeof keptOf>[1]) => keptOf(database, own),
    sessionIdleMs: config.sessionIdleMs,
    secondFactorRoles: config.secondFactorRoles,
  }
}

function storesOf({ database, memory, clock }: PeopleOptions) {
  const accounts = createAccountStore(database)
  const audit = createAuditStore(database)
  const sendings = createSendingStore(database)
  return {
    keyStore: accounts,
    usage: createUsageStore(database),
    published: async (accountId: string) => {
      memory.publish({ access: await accounts.loadAccount(accountId) }, clock.now())
    },
    operated: {
      page: accounts.page,
      update: accounts.update,
      revokeKey: accounts.revokeKey,
      changes: audit.page,
      sendings: sendingsOnce(memory, sendings.all),
    },
  }
}

/**
 * The maximum number of concurrent password checks; each takes 0.1 s of a processor, and 32 MB.
 */
const PASSWORDS = { runningMax: 2, waitingMax: 32 }

function boundedAuth(database: Database, options: AuthOptions): ReturnType<typeof createAuth> {
  const auth = createAuth(database, options)
  const limit = new WorkLimit(PASSWORDS)
  return {
    ...auth,
    signUp: (person) => limit.run(() => auth.signUp(person)),
    signIn: (person, userAgent) => limit.run(() => auth.signIn(person, userAgent)),
    reset: (reset) => limit.run(() => auth.reset(reset)),
    isPassword: (password, headers) => limit.run(() => auth.isPassword(password, headers)),
    changePassword: (change, headers) => limit.run(() => auth.changePassword(change, headers)),
    beginApp: (password, headers) => limit.run(() => auth.beginApp(password, headers)),
    newCodes: (password, headers) => limit.run(() => auth.newCodes(password, headers)),
  }
}
