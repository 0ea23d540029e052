import { ServiceError } from '~/domain/errors.ts'
import { isNestedTooDeep } from './nesting.ts'

type JsonReading = {
  /** Error of a body that is nested too deeply, and what to send instead. */
  readonly tooDeep: string
  readonly parse?: (text: string) => unknown
}

export function jsonBody(text: string, { tooDeep, parse = JSON.parse }: JsonReading): unknown {
  if (isNestedTooDeep(text)) throw new ServiceError('malformed_body', tooDeep)
  try {
    return parse(text)
  } catch {
    throw new ServiceError('malformed_body', 'the body is not valid JSON; check its syntax')
  }
}
