import { DAY_MS } from '~/domain/duration.ts'
import type { PortalOptions } from '~/portal/routes.ts'

/** Pages for one visitor who may ask as often as he likes, of a past in which nothing was said. */
export const quietPortal = (more: Partial<PortalOptions> = {}): PortalOptions => ({
  addressOf: () => '203.0.113.7',
  requestsPerMinute: 1_000_000,
  credits: [],
  sessionIdleMs: DAY_MS,
  ...more,
})
