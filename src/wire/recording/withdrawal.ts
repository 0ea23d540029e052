import { Type } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'
import { REASON_LENGTH_MAX, WITHDRAWN_AT_ONCE_MAX } from '~/domain/observation.ts'
import { namedRecord, ObservationId } from '~/wire/fields.ts'
import { jsonBody } from '~/wire/json-body.ts'

export const WITHDRAWAL_BYTES_MAX = 16_384

export const WithdrawalBody = Type.Object(
  {
    observations: Type.Array(ObservationId, {
      minItems: 1,
      maxItems: WITHDRAWN_AT_ONCE_MAX,
      description: 'Ids, as `POST /rates` and `/rates/history` return them.',
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: REASON_LENGTH_MAX,
      description: 'Why they are withdrawn; visible to everyone.',
    }),
  },
  { additionalProperties: false, title: 'WithdrawalBody' },
)

export const WITHDRAWAL_EXAMPLES = {
  mistake: { observations: [48_211, 48_212], reason: 'The decimal separator was read as a comma' },
}

export const WithdrawalResponse = namedRecord('WithdrawalResponse', {
  withdrawn: Type.Array(ObservationId, {
    description: 'The observations withdrawn by this request, without those withdrawn before.',
  }),
  already_withdrawn: Type.Array(ObservationId, {
    description: 'The other observations of the request.',
  }),
})

const NAMES = Object.keys(WithdrawalBody.properties)

/** Ids, each once, and a reason. Throws `malformed_body` that says what is wrong. */
export function readWithdrawalBody(text: string) {
  const body = jsonBody(text, { tooDeep: 'the body is nested too deeply for a withdrawal' })
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw malformed('the body must be one JSON object with observations and reason')
  const unknown = Object.keys(body).find((name) => !NAMES.includes(name))
  if (unknown !== undefined)
    throw malformed(`${JSON.stringify(unknown.slice(0, 40))} is not a field; ${TAKES}`)
  const { observations, reason } = body as { observations?: unknown; reason?: unknown }
  return { ids: idsIn(observations), reason: reasonIn(reason) }
}

const TAKES = 'the fields are observations and reason'

function idsIn(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0)
    throw malformed('observations must be a list of ids, as POST /rates returns them')
  const isId = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) > 0
  if (!value.every(isId)) throw malformed('observations must have ids only, which are integers')
  if (value.length > WITHDRAWN_AT_ONCE_MAX)
    throw malformed(
      `${value.length} ids are too many; send at most ${WITHDRAWN_AT_ONCE_MAX} in one request`,
    )
  return [...new Set(value)]
}

function reasonIn(value: unknown): string {
  const reason = typeof value === 'string' ? value.trim() : ''
  if (reason === '') throw malformed('reason is required: say why the observations are withdrawn')
  if (reason.length > REASON_LENGTH_MAX)
    throw malformed(`reason may have at most ${REASON_LENGTH_MAX} characters; shorten it`)
  if (reason.includes('\0') || !reason.isWellFormed())
    throw malformed('reason must be text without NUL or lone surrogates')
  return reason
}

const malformed = (message: string) => new ServiceError('malformed_body', message)
