import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ClientKind, ToolWorld } from './tool-world.ts'

const CORRIDOR = { from: 'USD', to: 'KES' }

/** The revision that each client negotiates, and the one that its requests name from then on. */
const CLIENTS: readonly [client: string, kind: ClientKind, revision: string][] = [
  ["the SDK's first line", 'first', '2025-11-25'],
  ["the SDK's second line as it comes", 'legacy', '2025-11-25'],
  ["the SDK's second line that asks what there is", 'auto', '2026-07-28'],
  ["the SDK's second line, pinned", { pin: '2026-07-28' }, '2026-07-28'],
]

describe('the tool server', () => {
  let tools: ToolWorld
  beforeAll(() => {
    tools = new ToolWorld()
  })
  afterAll(() => tools.stop())

  test.each(CLIENTS)('serves %s', async (_, kind, revision) => {
    const named: (string | null)[] = []
    const { handle } = tools.world.tools
    tools.world.tools.handle = (request) => {
      named.push(request.headers.get('mcp-protocol-version'))
      return handle.call(tools.world.tools, request)
    }
    const key = tools.world.key('free')
    const session = await tools.connect(key, kind)
    const { client } = session
    expect(client.getServerVersion()).toMatchObject({ name: 'corridor' })
    expect(client.getInstructions()).toContain('rate_type')
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toContain('get_rates')
    const { isError, body } = await session.call('get_rates', CORRIDOR)
    expect([isError, body.corridor]).toEqual([false, 'USD/KES'])
    const [resource] = (await client.listResources()).resources
    expect((await client.readResource({ uri: resource!.uri })).contents).toHaveLength(1)
    const [prompt] = (await client.listPrompts()).prompts
    const args = { ...CORRIDOR, amount: '200' }
    expect((await client.getPrompt({ name: prompt!.name, arguments: args })).messages).toHaveLength(
      1,
    )
    const ref = { type: 'ref/prompt' as const, name: prompt!.name }
    const { completion } = await client.complete({ ref, argument: { name: 'to', value: 'k' } })
    expect(completion.values).toEqual(['KES'])
    expect(await tools.used(key)).toBe(2)
    expect(named.at(-1)).toBe(revision)
    expect(named.slice(1).filter((version) => version !== revision)).toEqual([])
    tools.world.tools.handle = handle
  })
})
