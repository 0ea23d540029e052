import type { Account } from '~/domain/account.ts'
import { hostOf } from '~/domain/alert/alert.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { type ErrorCode, ServiceError } from '~/domain/errors.ts'

/** Limits on actions with alerts in each hour of the clock or day, on all replicas together. */
export const RATES = {
  changes: 20,
  /** The number of tests that an account sends. */
  tests: 10,
  /** The number of tests that all accounts together send to one host. */
  testsOfHost: 60,
  /** The number of times that an alert's secret is replaced in a UTC day: old ones sign for one. */
  secrets: 5,
} as const

export type RateDeps = {
  readonly attempts: {
    countAttempt(scope: string, endsMs: number): Promise<number>
  }
  readonly clock: { now(): number }
}

type Deed = {
  /** Scope of a count. It names no alert, so that deleting one gives nothing back. */
  readonly scope: string
  readonly max: number
  readonly code: ErrorCode
  readonly sentence: string
  readonly unit?: 'hour' | 'day'
}

/** Counts that an account makes or changes an alert. Throws `too_many_changes`. */
export const countChange = (deps: RateDeps, { id }: Account): Promise<void> =>
  counted(deps, {
    scope: `alerts changed by ${id}`,
    max: RATES.changes,
    code: 'too_many_changes',
    sentence: `an account makes and changes ${RATES.changes} alerts an hour`,
  })

/** Counts that an alert's secret is replaced. Throws `too_many_changes`. */
export const countSecret = (deps: RateDeps, alertId: string): Promise<void> =>
  counted(deps, {
    scope: `alert secrets of ${alertId}`,
    max: RATES.secrets,
    code: 'too_many_changes',
    sentence: `an alert's secret is replaced ${RATES.secrets} times a day`,
    unit: 'day',
  })

/** Counts a test of an account, and of the host it is posted to. Throws `too_many_tests`. */
export async function countTest(deps: RateDeps, { id }: Account, url: string | null) {
  const code = 'too_many_tests'
  await counted(deps, {
    ...{ code, scope: `alerts tested by ${id}`, max: RATES.tests },
    sentence: `an account sends ${RATES.tests} tests an hour`,
  })
  if (url === null) return
  const host = hostOf(url)
  await counted(deps, {
    ...{ code, scope: `alerts tested at ${host}`, max: RATES.testsOfHost },
    sentence: `all accounts together send ${RATES.testsOfHost} tests an hour to ${host}`,
  })
}

async function counted({ attempts, clock }: RateDeps, deed: Deed) {
  const { scope, max, code, sentence, unit = 'hour' } = deed
  const nowMs = clock.now()
  const windowMs = unit === 'day' ? DAY_MS : HOUR_MS
  const endsMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
  if ((await attempts.countAttempt(scope, endsMs)) <= max) return
  const waitSeconds = Math.ceil((endsMs - nowMs) / 1000)
  throw new ServiceError(code, `${sentence}; wait for the next ${unit}`, {}, waitSeconds)
}
