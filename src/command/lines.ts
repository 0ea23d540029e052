/** A longer line is skipped; an MCP server takes a sixteenth of it. */
export const LINE_BYTES_MAX = 1_048_576

const NEWLINE = 0x0a

/** The lines of an input but for blank ones, the last without its end; null for one too long. */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  bytesMax = LINE_BYTES_MAX,
): AsyncGenerator<string | null> {
  let kept: Uint8Array[] = []
  let size = 0
  const line = () => {
    const text = size > bytesMax ? null : Buffer.concat(kept).toString().trim()
    kept = []
    size = 0
    return text
  }
  const keep = (part: Uint8Array) => {
    size += part.byteLength
    if (size <= bytesMax) kept.push(part)
    else kept = []
  }
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at))
      from = at + 1
      const text = line()
      if (text !== '') yield text
    }
    keep(chunk.subarray(from))
  }
  const last = line()
  if (last !== '') yield last
}
