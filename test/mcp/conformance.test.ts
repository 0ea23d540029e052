import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { conformance, proxyWithKey } from './conformance.ts'
import { ToolWorld } from './tool-world.ts'

/**
 * The scenarios that need no tool, resource or prompt of the conformance suite's own; the other 24
 * ask for fixtures such as `test_simple_text`.
 */
const APPLICABLE: readonly { scenario: string; checks: string }[] = [
  { scenario: 'server-initialize', checks: '1/1' },
  { scenario: 'ping', checks: '1/1' },
  { scenario: 'tools-list', checks: '1/1' },
  { scenario: 'resources-list', checks: '1/1' },
  { scenario: 'prompts-list', checks: '1/1' },
  { scenario: 'completion-complete', checks: '1/1' },
  { scenario: 'server-sse-multiple-streams', checks: '1/1' },
  { scenario: 'dns-rebinding-protection', checks: '2/2' },
]

describe('the official conformance tool', () => {
  let tools: ToolWorld
  let proxy: ReturnType<typeof proxyWithKey>

  beforeAll(() => {
    tools = new ToolWorld()
    proxy = proxyWithKey(tools.url, tools.world.key())
  })

  afterAll(async () => {
    await proxy.stop(true)
    await tools.stop()
  })

  test.each(APPLICABLE)('passes $scenario with $checks checks', async ({ scenario, checks }) => {
    const outcome = await conformance(`http://127.0.0.1:${proxy.port}/mcp`, scenario)
    expect(outcome).toMatchObject({ status: 0, passed: checks })
  })
})
