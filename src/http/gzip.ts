import { preferred } from '~/wire/accept.ts'

/** Whether a caller would rather have a body compressed, or minds as little as we do. */
export const takesGzip = ({ headers }: Request): boolean =>
  preferred(headers.get('accept-encoding') || 'identity', ['gzip', 'identity']) === 'gzip'
