import { createMcpHandler, Server } from '@modelcontextprotocol/server'

/** The least that the SDK does for a call: a server for each request, and a result made before. */
const result = await Bun.stdin.json()

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', () => result)
  return server
})

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch: (request) => handler.fetch(request),
})
process.stdout.write(`${server.port}\n`)
