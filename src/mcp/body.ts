import { readRequestBody } from '@modelcontextprotocol/sdk/server/requestBody.js'

export const BODY_BYTES_MAX = 65_536

/** The text of a message's body, empty when it breaks off; null when it is too large. */
export async function messageText(request: Request): Promise<string | null> {
  const announced = request.headers.get('content-length')
  const isChunked = request.headers.has('transfer-encoding')
  try {
    if (announced !== null && !isChunked)
      return Number(announced) > BODY_BYTES_MAX ? null : await request.text()
    const body = await readRequestBody(request, BODY_BYTES_MAX)
    return body.tooLarge ? null : body.text
  } catch {
    return ''
  }
}
