/** The longest time that a witness may take; the next seal waits for it. */
const MS_MAX = 5_000
const ANSWER_BYTES_MAX = 65_536

/** Sends a text to a witness. Rejects where it does not answer in time, or answers at length. */
export async function postToWitness(url: string, body: string) {
  const signal = AbortSignal.timeout(MS_MAX)
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const answer = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'error' })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error('its answer is too long')
    parts.push(part)
  }
  return { status: answer.status, text: Buffer.concat(parts).toString() }
}
