import { describe, expect, test } from 'bun:test'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Asker, askerOf, Exchange } from '~/mcp/exchange.ts'
import type { RpcRequest } from '~/mcp/message.ts'

type Heard = { id: number; method: string; asker: Asker }

/** An exchange whose server only listens, and what it heard. */
function listening(): { exchange: Exchange; heard: Heard[] } {
  const exchange = new Exchange()
  const heard: Heard[] = []
  exchange.onmessage = (message, extra) => {
    const { id, method } = message as unknown as Heard
    heard.push({ id, method, asker: askerOf(extra!) })
  }
  return { exchange, heard }
}

const request = (id: string | number, method: string): RpcRequest => ({
  jsonrpc: '2.0',
  id,
  method,
})
const asker = (accountId: string): Asker =>
  ({ caller: { account: { id: accountId } }, nowMs: 0 }) as unknown as Asker
const result = (id: number, value: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  result: { value },
})

describe('Exchange', () => {
  test('keeps requests of the same id apart, whatever order they are answered in', async () => {
    const { exchange, heard } = listening()
    const asked = [
      exchange.ask(request(1, 'first'), asker('a')),
      exchange.ask(request(1, 'second'), asker('b')),
      exchange.ask(request('x', 'third'), asker('c')),
    ]
    expect(exchange.waiting).toBe(3)
    expect(heard.map(({ asker }) => asker.caller.account.id)).toEqual(['a', 'b', 'c'])
    for (const { id, method } of heard.toReversed()) await exchange.send(result(id, method))
    expect(await Promise.all(asked)).toEqual([
      { jsonrpc: '2.0', id: 1, result: { value: 'first' } },
      { jsonrpc: '2.0', id: 1, result: { value: 'second' } },
      { jsonrpc: '2.0', id: 'x', result: { value: 'third' } },
    ])
    expect(exchange.waiting).toBe(0)
  })

  test('drops answers that nobody waits for', async () => {
    const { exchange } = listening()
    await exchange.send(result(99, 'late'))
    await exchange.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    expect(exchange.waiting).toBe(0)
  })
})
