import { isJsonContentType, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { bodyBytes } from '~/wire/body-bytes.ts'
import { isNestedTooDeep } from '~/wire/nesting.ts'
import { RpcFault } from './fault.ts'

export const BODY_BYTES_MAX = 65_536

/** The SDK's code for HTTP errors, which have no JSON-RPC code. */
export const HTTP_FAULT = -32_000

/** The JSON of a request's body. Throws an RpcFault that explains the problem. */
export async function messageOf(request: Request): Promise<unknown> {
  if (!isJsonContentType(request.headers.get('content-type')))
    throw new RpcFault(415, HTTP_FAULT, 'send the message with Content-Type: application/json')
  const text = await textOf(request)
  if (text === null)
    throw new RpcFault(413, HTTP_FAULT, `a body may have at most ${BODY_BYTES_MAX} bytes`)
  if (isNestedTooDeep(text))
    throw new RpcFault(400, ProtocolErrorCode.InvalidRequest, 'the body is nested too deeply')
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcFault(400, ProtocolErrorCode.ParseError, 'the body is not valid JSON')
  }
}

/**
 * The string of a body, empty when it breaks off; null when it is too large. A body whose length is
 * known is read by the runtime, in 26 instead of 38 us a request with its client.
 */
async function textOf(request: Request): Promise<string | null> {
  const announced = request.headers.get('content-length')
  const isChunked = request.headers.has('transfer-encoding')
  try {
    if (announced !== null && !isChunked)
      return Number(announced) > BODY_BYTES_MAX ? null : await request.text()
    const bytes = await bodyBytes(request, BODY_BYTES_MAX)
    return bytes && new TextDecoder().decode(bytes)
  } catch {
    return ''
  }
}
