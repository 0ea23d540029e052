import { expect, test } from 'bun:test'
import { connectClient } from './client.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** A server that sends a string on each connection and closes it, and counts connections. */
function closingServer(says: string) {
  const counted = { connections: 0 }
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: () => void counted.connections++,
      data: (socket) => void socket.end(says),
    },
  })
  const url = new URL(`http://127.0.0.1:${server.port}`)
  return { client: connectClient(url, {}), counted, stop: () => server.stop(true) }
}

test('a client retries over another connection if the service closed an idle one', async () => {
  const { client, counted, stop } = closingServer(OK)
  for (let turn = 0; turn < 3; turn++) await client.get('/')
  expect(counted.connections).toBe(3)
  client.close()
  stop()
})

test('a client reports that the service closed a new connection without a response', async () => {
  const { client, counted, stop } = closingServer('')
  await expect(client.get('/')).rejects.toThrow('the service closed the connection')
  expect(counted.connections).toBe(1)
  stop()
})
