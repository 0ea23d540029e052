import { expect, setDefaultTimeout, test } from 'bun:test'
import { scriptOutput } from '../support/child.ts'

setDefaultTimeout(60_000)

const SCRIPT = 'test/telemetry/loaded.ts'

async function loaded(...args: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await scriptOutput([SCRIPT, ...args])
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const isForTelemetry = (name: string) => name.startsWith('@opentelemetry/')

test('a service that sends no traces loads nothing of OpenTelemetry, nor the tools', async () => {
  const names = await loaded()
  expect(names).toContain('pino')
  expect(names).toContain('elysia')
  expect(names.filter(isForTelemetry)).toEqual([])
  expect(names).not.toContain('@modelcontextprotocol/sdk')
})

test('one that sends traces loads what it takes', async () => {
  const names = await loaded('http://localhost:4318')
  expect(names.filter(isForTelemetry)).toContain('@opentelemetry/sdk-trace')
})
