import type { Headers } from '~/http/reply.ts'

/** Browsers come back over https alone for a year. https://www.rfc-editor.org/rfc/rfc6797 */
const HTTPS_SECONDS = 365 * 24 * 3600

/**
 * What every answer says to a browser, prepared once: to take its type as it is said, and, where
 * people reach the service over https, never to come by http.
 */
export const guardHeaders = (publicUrl: string | null): Headers => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && {
    'strict-transport-security': `max-age=${HTTPS_SECONDS}`,
  }),
})
