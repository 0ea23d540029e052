import { preferred } from '~/wire/accept.ts'

/** Whether a caller prefers a compressed body, or has no preference. */
export const takesGzip = ({ headers }: Request): boolean =>
  preferred(headers.get('accept-encoding') || 'identity', ['gzip', 'identity']) === 'gzip'
