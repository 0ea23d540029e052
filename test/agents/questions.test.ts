import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaType } from '@modelcontextprotocol/sdk/validation'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { TEST_MS_MAX } from '../support/until.ts'
import questions from './questions.json'
import { sampleService } from './sample-service.ts'

/** Average number of calls that an agent may use for a person's question. */
const CALLS_MAX = 1.5
const TOKENS_MAX = 800
const CHARACTERS_OF_A_TOKEN = 4
/** The numbers are rates of the sample; only the last digit of a sum may differ. */
const RELATIVE_ERROR_MAX = 1e-9

type Question = {
  readonly question: string
  readonly calls: readonly { readonly tool: string; readonly arguments: object }[]
  /** Answer to the person. */
  readonly answer: string
  /** Places of the answer's numbers in the results of the calls, numbered from 1. */
  readonly figures: readonly { readonly call: number; readonly at: Path; readonly is: unknown }[]
}

/** Fields, places in a list, and entries of a list by some of their fields. */
type Path = readonly (string | number | Readonly<Record<string, unknown>>)[]

let client: Client
let service: Awaited<ReturnType<typeof sampleService>>['service']
let tools: ReadonlyMap<string, Tool>
/** Characters in the results of each question played. */
const characters: number[] = []

beforeAll(async () => {
  const sample = await sampleService()
  service = sample.service
  client = new Client({ name: 'agent', version: '1.0.0' })
  const requestInit = { headers: { 'x-api-key': sample.key } }
  const url = new URL(`${service.origin}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]))
}, TEST_MS_MAX)

afterAll(async () => {
  await client.close()
  await service.stop()
})

const validator = new AjvJsonSchemaValidator()

describe('a person who asks an agent', () => {
  test.each(questions as readonly Question[])('$question', async ({ calls, figures }) => {
    const results: unknown[] = []
    let length = 0
    for (const call of calls) {
      const { inputSchema } = tools.get(call.tool)!
      const isAsTold = validator.getValidator(inputSchema as JsonSchemaType)(call.arguments)
      expect(isAsTold.errorMessage).toBeUndefined()
      const text = await answered(call)
      length += text.length
      results.push(JSON.parse(text))
    }
    characters.push(length)
    for (const { call, at, is } of figures) {
      const found = at.reduce(step, results[call - 1])
      if (typeof is !== 'number') expect([at, found]).toEqual([at, is])
      else
        expect(Math.abs(Number(found) - is)).toBeLessThanOrEqual(Math.abs(is * RELATIVE_ERROR_MAX))
    }
  })

  test('is answered in few calls and few tokens', () => {
    expect(questions.length).toBeGreaterThanOrEqual(20)
    expect(characters).toHaveLength(questions.length)
    const calls = questions.reduce((sum, one) => sum + one.calls.length, 0)
    const all = characters.reduce((sum, length) => sum + length, 0)
    expect(calls / questions.length).toBeLessThanOrEqual(CALLS_MAX)
    expect(all / CHARACTERS_OF_A_TOKEN / questions.length).toBeLessThanOrEqual(TOKENS_MAX)
  })
})

async function answered({ tool, arguments: args }: Question['calls'][number]): Promise<string> {
  const given = { name: tool, arguments: { ...args } }
  const { content } = (await client.callTool(given)) as CallToolResult
  const [first] = content
  if (first?.type !== 'text') throw new Error('a tool returns one text')
  return first.text
}

/** One step of a path into a result. */
function step(value: unknown, place: Path[number]): unknown {
  if (typeof place !== 'object') return (value as Record<string | number, unknown>)[place]
  const isIt = (entry: Record<string, unknown>) =>
    Object.entries(place).every(([name, said]) => entry[name] === said)
  return (value as Record<string, unknown>[]).find(isIt)
}
