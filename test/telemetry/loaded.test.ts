import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { scriptOutput } from '../support/child.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const SCRIPT = 'test/telemetry/loaded.ts'

type Loaded = Readonly<Record<'command' | 'service', string[]>>

async function loaded(...args: string[]): Promise<Loaded> {
  const { status, stdout, stderr } = await scriptOutput([SCRIPT, ...args])
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const isForTelemetry = (name: string) => name.startsWith('@opentelemetry/')

let quiet: Loaded

beforeAll(async () => {
  quiet = await loaded()
})

test('a process that supervises workers loads none of the code for responses', () => {
  expect(quiet.command).toContain('pino')
  expect(quiet.command).not.toContain('elysia')
})

test('a service that no agent has called loads none of the tool server', () => {
  expect(quiet.service).toContain('elysia')
  expect(quiet.service).not.toContain('@modelcontextprotocol/sdk')
})

test('a service that sends no traces loads none of OpenTelemetry', () => {
  expect(quiet.service.filter(isForTelemetry)).toEqual([])
})

test('a service that sends traces loads what it needs', async () => {
  const { service } = await loaded('http://localhost:4318')
  expect(service.filter(isForTelemetry)).toContain('@opentelemetry/sdk-trace')
})
