import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const HEAD_END = '\r\n\r\n'
const textOf = (path: string) => JSON.stringify('é'.repeat(Number.parseInt(path.slice(1), 10)))

let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let origin: URL

beforeAll(async () => {
  const script = join(import.meta.dir, '../support/late-server.ts')
  server = Bun.spawn(['bun', script], { stdout: 'pipe' })
  const { value } = await server.stdout.getReader().read()
  origin = new URL(new TextDecoder().decode(value).trim())
})

afterAll(async () => {
  server.kill()
  await server.exited
})

/** First part of a response, as a packet brings it. */
async function firstChunk(path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(origin.port),
    socket: { data: (_, chunk) => resolve(chunk.toString()), close: () => reject(), error: reject },
  })
  socket.write(`GET ${path} HTTP/1.1\r\nhost: corridor\r\n\r\n`)
  const chunk = await promise
  socket.end()
  return chunk
}

describe('streamedBody', () => {
  const lengths = [0, 1, 5000, 7498, 7499, 7500, 7700, 20_000, 500_000]
  const paths = lengths.flatMap((length) => [`/${length}`, `/${length}?bytes`])

  test.each(paths)('%s arrives complete, with its headers at once', async (path) => {
    const [head, begun] = (await firstChunk(path)).split(HEAD_END)
    expect(begun).toBeDefined()
    expect(head).toContain('x-two: 2')
    const reply = await fetch(new URL(path, origin))
    expect(await reply.text()).toBe(textOf(path))
  })

  test('has its length if it is short', async () => {
    const reply = await fetch(new URL('/100', origin))
    expect(reply.headers.get('content-length')).toBe('202')
  })

  test('HEAD gets the headers', async () => {
    const reply = await fetch(new URL('/500000', origin), { method: 'HEAD' })
    expect([reply.status, reply.headers.get('x-one'), await reply.text()]).toEqual([200, '1', ''])
  })
})
