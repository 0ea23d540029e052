import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { conformance, proxyWithKey, type Score } from './conformance.ts'
import { ToolWorld } from './tool-world.ts'

/**
 * The scenarios of each revision that need no tool, resource or prompt of the suite's own, such as
 * `test_simple_text`, and no feature that this server lacks: logging, requests to the client,
 * subscriptions, tasks. `server-stateless` requires such a tool in four of its 28 checks.
 */
const EXPECTED: Readonly<Record<string, readonly (readonly [string, Score])[]>> = {
  '2026-07-28': [
    ['server-stateless', { passed: 24, failed: 4 }],
    ['completion-complete', { passed: 2, failed: 0 }],
    ['tools-list', { passed: 4, failed: 0 }],
    ['server-sse-multiple-streams', { passed: 1, failed: 0 }],
    ['resources-list', { passed: 2, failed: 0 }],
    ['sep-2164-resource-not-found', { passed: 4, failed: 0 }],
    ['prompts-list', { passed: 2, failed: 0 }],
    ['dns-rebinding-protection', { passed: 2, failed: 0 }],
    ['caching', { passed: 8, failed: 0 }],
    ['http-header-validation', { passed: 14, failed: 0 }],
  ],
  '2025-11-25': [
    ['server-initialize', { passed: 2, failed: 0 }],
    ['ping', { passed: 2, failed: 0 }],
    ['completion-complete', { passed: 2, failed: 0 }],
    ['tools-list', { passed: 3, failed: 0 }],
    ['resources-list', { passed: 2, failed: 0 }],
    ['prompts-list', { passed: 2, failed: 0 }],
    ['dns-rebinding-protection', { passed: 2, failed: 0 }],
  ],
}

describe.each(Object.entries(EXPECTED))('the conformance tool for %s', (revision, expected) => {
  let tools: ToolWorld
  let proxy: ReturnType<typeof proxyWithKey>
  let scores: Map<string, Score>

  beforeAll(async () => {
    tools = new ToolWorld()
    proxy = proxyWithKey(tools.url, tools.world.key())
    scores = await conformance(`http://127.0.0.1:${proxy.port}/mcp`, revision)
  })

  afterAll(async () => {
    await proxy.stop(true)
    await tools.stop()
  })

  test.each([...expected])('passes %s: %j', (scenario, score) => {
    expect(scores.get(scenario)).toEqual(score)
  })
})
