import { afterAll, beforeAll, describe, test } from 'bun:test'
import { expectEveryCall } from './expect-every-call.ts'
import { type PackedClient, packedClient } from './packed-client.ts'

describe('the packed client in an empty folder, in Node', () => {
  let client: PackedClient
  beforeAll(async () => {
    client = await packedClient()
  })
  afterAll(() => client.stop())

  test('calls every operation', async () => {
    const node = Bun.which('node')
    if (!node) throw new Error('there is no node here: install Node 20 or newer')
    await expectEveryCall(client, node)
  })
})
