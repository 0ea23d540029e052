import type { StreamBodies } from './events.ts'

type Ended = StreamBodies['ended']

/** The last words of a stream that is read fast enough, by the reason for its end. */
export const ENDS: { readonly [Code in Ended['code']]: Ended } = {
  revoked_key: {
    error: 'the API key of this stream was revoked; connect with another or create one',
    code: 'revoked_key',
  },
  plan_changed: {
    error: 'the plan of the account has changed; connect again to be served by the new one',
    code: 'plan_changed',
  },
}

/** An event that makes the reader reconnect after this many milliseconds. */
export const retryText = (ms: number): string => `retry: ${ms}\n\n`
