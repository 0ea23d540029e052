import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import { orUnavailable } from '~/store/outage.ts'

/** The response of the database; `database_unavailable` with `message` if it is late or fails. */
export const reached = <T>(
  answer: Promise<T>,
  message: string,
  msMax = ANSWER_MS_MAX,
): Promise<T> => orUnavailable(inTime(answer, { msMax, message }), message)
