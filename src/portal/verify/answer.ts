/** A response with its headers, as `curl -i` shows it. */
export type Answer = {
  readonly status: number
  /** The headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array<ArrayBuffer>
}

const HEAD = /^HTTP\/[\d.]+ (\d{3})[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n/

/** The last response in a text, after those of proxies; null if there is none. */
export function answerIn(bytes: Uint8Array<ArrayBuffer>): Answer | null {
  const text = new TextDecoder('latin1').decode(bytes)
  let at = text.length - text.trimStart().length
  for (;;) {
    const found = HEAD.exec(text.slice(at))
    if (!found) return null
    at += found[0].length
    if (text.startsWith('HTTP/', at)) continue
    const headers = headersIn(found[2]!)
    return { status: Number(found[1]), headers, body: bytes.slice(at) }
  }
}

function headersIn(lines: string): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return headers
}
