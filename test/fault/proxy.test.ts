import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { until } from '../support/until.ts'
import { DatabaseProxy } from './proxy.ts'

test('DatabaseProxy keeps the order of bytes when the network becomes quick again', async () => {
  let heard = ''
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      heard += bytes.toString()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await DatabaseProxy.to((server.address() as AddressInfo).port)
  const client = connect(proxy.port, '127.0.0.1')
  const said = async (text: string) => {
    client.write(text)
    await until('it is heard', async () => heard.endsWith(text))
  }
  await said('a')
  proxy.latencyMs = 400
  client.write('b')
  await Bun.sleep(50)
  proxy.latencyMs = 0
  await said('c')
  expect(heard).toBe('abc')
  proxy.cut()
  proxy.close()
  server.close()
})
