/** Bun sends a head together with a body of less than 15,360 bytes in one packet. */
const JOINED_BYTES_MAX = 15_000

/**
 * The body of a response that may be created in a later turn than its request, such as after a
 * database query.
 *
 * For a larger body Bun would send each word of the head by itself: dozens of system calls and
 * packets, which can take longer than the rest. The head of a stream goes out whole.
 */
export function streamedBody<B extends string | Uint8Array<ArrayBuffer>>(
  body: B,
): B | ReadableStream {
  if (Buffer.byteLength(body) <= JOINED_BYTES_MAX) return body
  return new ReadableStream({
    start(controller) {
      controller.enqueue(typeof body === 'string' ? new TextEncoder().encode(body) : body)
      controller.close()
    },
  })
}
