import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import { failureBody } from './call.ts'

/** A transport error: an HTTP status with a JSON-RPC error that belongs to no request. */
export class RpcFault extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** A failure as a protocol error, with REST's code and further fields as its data. */
export function protocolError(error: unknown, log: Log): ProtocolError {
  if (error instanceof ProtocolError) return error
  const { error: message, ...data } = failureBody(error, log)
  const isOurs = !(error instanceof ServiceError)
  const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest
  return new ProtocolError(code, message, data)
}
