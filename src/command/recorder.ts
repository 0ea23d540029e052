import type { AppDeps } from '~/app.ts'
import type { WorkSettings } from '~/config.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { ObservationStore } from '~/store/observation-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { rerun } from '~/store/rerun.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import type { NewsFollower } from './news.ts'

export type RecorderDeps = {
  readonly observations: ObservationStore
  readonly news: Pick<NewsFollower, 'doubt'>
  readonly tracing: Tracing | null
  readonly work: WorkSettings
}

/** `limit` is what keeps recording from taking the whole database. */
export type Recorder = AppDeps['store'] & { readonly limit: WorkLimit }

/**
 * Where observations go. A batch whose answer was lost may be recorded all the same: memory then
 * has to learn of it.
 */
export function recorderOf({ observations, news, tracing, work }: RecorderDeps): Recorder {
  const { ingestMax, waitingMax } = work
  const limit = new WorkLimit({ runningMax: ingestMax, waitingMax })
  const record: AppDeps['store']['record'] = async (batch) => {
    try {
      const recorded = traced(tracing, 'database record', () =>
        rerun(() => observations.record(batch)),
      )
      return await orUnavailable(recorded)
    } catch (error) {
      news.doubt()
      throw error
    }
  }
  return {
    answered: (idempotency) => limit.run(() => orUnavailable(observations.answered(idempotency))),
    record: (batch) => limit.run(() => record(batch)),
    limit,
  }
}
