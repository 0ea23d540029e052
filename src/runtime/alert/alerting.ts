import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Follower } from '~/jobs/follower.ts'
import { renewTime } from '~/jobs/watch-time.ts'
import type { Live } from '~/memory/live/live.ts'
import type { Memory } from '~/memory/memory.ts'
import { systemOutside } from '~/outbound/connection.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import { around } from '~/runtime/around.ts'
import type { Core } from '~/runtime/core.ts'
import { reached } from '~/runtime/reached.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { inTime } from '~/service/deadline.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { createDeliveryList } from '~/store/alert/delivery-list.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import type { Database } from '~/store/database.ts'
import { orUnavailable } from '~/store/outage.ts'
import { createAttemptStore } from '~/store/portal/attempt-store.ts'
import { receiverFault } from '~/webhook/receiver.ts'
import { newWebhookSecret, sealBy } from '~/webhook/secrets.ts'
import { testBody } from '~/wire/alert/delivery.ts'
import { Deliveries } from './deliveries.ts'
import { AlertEvaluation } from './evaluation.ts'

type Parts = {
  readonly core: Pick<Core, 'memory' | 'live' | 'follower' | 'changes'>
  readonly past: SnapshotDeps
  readonly secret: SharedSecret
}

/** Parts of alerts: the actions of their owners, their evaluation, and their delivery. */
export function alertingOf(options: ServiceOptions, { core, past, secret }: Parts) {
  const { memory, live, follower, changes } = core
  const deliveries = new Deliveries({ ...options, secret })
  const evaluation = new AlertEvaluation({
    ...options,
    memory,
    live,
    past,
    ageLimits: options.config,
  })
  changes.onAlerts((notification) => {
    if (notification.kind === 'alerts') void evaluation.read(notification.accountId ?? null)
    else deliveries.wake()
  })
  void evaluation.read(null)
  const places = { memory, live, follower, past, secret, onChange: evaluation.read }
  return {
    alerting: alertDepsOf({ ...options, ...places }),
    deliveries,
    jobs: [...evaluation.jobs, ...deliveries.jobs],
    async stop(): Promise<void> {
      await evaluation.stop()
      await deliveries.stop()
    },
  }
}

type Options = Pick<AlertDeps, 'past' | 'onChange'> & {
  readonly live: Pick<Live, 'position' | 'current' | 'atMs'>
  readonly follower: Pick<Follower, 'caughtUp' | 'isBehind'>
  readonly config: Pick<
    Config,
    'midMaxAgeMs' | 'quoteMaxAgeMs' | 'smtpUrl' | 'staleAfterMs' | 'webhookAllow' | 'work'
  >
  readonly database: Database
  readonly clock: Clock
  readonly memory: Memory
  readonly secret: SharedSecret
  readonly addressesOf?: ServiceOptions['addressesOf']
}

const AWAY = 'the database with the alerts cannot be reached; retry shortly'

/** The maximum number of concurrent database queries about alerts. */
const ASKED_MAX = 2

/** The longest time that a new alert waits for earlier commits. */
const CATCHING_UP = { msMax: 5000, message: AWAY }

/** Dependencies for listing, creating and changing alerts. */
export function alertDepsOf(options: Options): AlertDeps {
  const { config, database, clock, memory, past, live, follower, secret, onChange } = options
  const limit = new WorkLimit({ runningMax: ASKED_MAX, waitingMax: config.work.waitingMax })
  const seal = sealBy(secret, randomBytes)
  const receivers = {
    addressesOf: options.addressesOf ?? systemOutside.addressesOf,
    deadline: (ms: number) => AbortSignal.timeout(ms),
    allowed: allowedPlaces(config.webhookAllow),
  }
  const changes = createChangeStore(database)
  const current = async () => {
    await follower.caughtUp()
    if (!follower.isBehind) await reached(renewTime({ changes, live, follower, clock }), AWAY)
  }
  return {
    ...{ memory, past, clock, onChange },
    testBody: (alert, nowMs) => testBody(alert, nowMs, memory.isSample),
    live: {
      async caughtUp() {
        await limit.run(() => inTime(current(), CATCHING_UP))
        if (follower.isBehind) throw new ServiceError('database_unavailable', AWAY)
        return live
      },
    },
    alerts: guarded(createAlertStore(database), limit),
    attempts: guarded(createAttemptStore(database), limit),
    deliveries: guarded(createDeliveryList(database), limit),
    ageLimits: config,
    secrets: {
      async make() {
        const text = newWebhookSecret(randomBytes)
        return { text, sealed: await orUnavailable(seal.sealed(text), AWAY) }
      },
      opened: (sealed) => orUnavailable(seal.opened(sealed), AWAY),
    },
    receivers: { faultOf: (url) => receiverFault(receivers, url) },
    isMailed: config.smtpUrl !== null,
    newId: () => randomUUID(),
  }
}

/** A store with limits on calls and their time; `database_unavailable` without the database. */
const guarded = <S extends object>(store: S, limit: WorkLimit): S =>
  around(store, (ask) => reached(limit.run(ask), AWAY))
