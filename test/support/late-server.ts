import { streamedBody } from '~/wire/streamed-body.ts'

/** A separate process that responds after a delay, with a string of the path's length. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch({ url }) {
    const { pathname, search } = new URL(url)
    const text = JSON.stringify('é'.repeat(Number(pathname.slice(1))))
    await new Promise((resolve) => setImmediate(resolve))
    const body = search === '?bytes' ? new TextEncoder().encode(text) : text
    return new Response(streamedBody(body), { headers: { 'x-one': '1', 'x-two': '2' } })
  },
})
process.stdout.write(`${server.url}\n`)
