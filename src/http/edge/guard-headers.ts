import type { Headers } from '~/http/reply.ts'

/** The time for which browsers use https only, a year. https://www.rfc-editor.org/rfc/rfc6797 */
const HTTPS_SECONDS = 365 * 24 * 3600

/** Headers for browsers on every response: not to guess its type, and to stay with https. */
export const guardHeaders = (publicUrl: string | null): Headers => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && {
    'strict-transport-security': `max-age=${HTTPS_SECONDS}`,
  }),
})
