import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import { orUnavailable } from '~/store/outage.ts'

/**
 * The response of the database; `database_unavailable` with `message` if it cannot be reached, or
 * not within the time.
 */
export const reached = <T>(
  answer: Promise<T>,
  message: string,
  msMax = ANSWER_MS_MAX,
): Promise<T> => orUnavailable(inTime(answer, { msMax, message }), message)
