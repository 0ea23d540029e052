import type { Core } from '~/runtime/core.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { alertDepsOf } from './alert-deps.ts'
import { Deliveries } from './deliveries.ts'
import { AlertJudging } from './judging.ts'

type Parts = {
  readonly core: Pick<Core, 'memory' | 'live' | 'follower' | 'changes'>
  readonly past: SnapshotDeps
  readonly secret: SharedSecret
}

/** Parts of alerts: what owners do with them, what evaluates them, and what sends them. */
export function alertingOf(options: ServiceOptions, { core, past, secret }: Parts) {
  const { memory, live, follower, changes } = core
  const deliveries = new Deliveries({ ...options, secret })
  const judging = new AlertJudging({ ...options, memory, live, past, ageLimits: options.config })
  changes.hearOfAlerts((news) => {
    if (news.kind === 'alerts') void judging.read(news.accountId ?? null)
    else deliveries.wake()
  })
  void judging.read(null)
  const places = { memory, live, follower, past, secret, onChange: judging.read }
  return {
    alerting: alertDepsOf({ ...options, ...places }),
    deliveries,
    jobs: [...judging.jobs, ...deliveries.jobs],
    async stop(): Promise<void> {
      await judging.stop()
      await deliveries.stop()
    },
  }
}
