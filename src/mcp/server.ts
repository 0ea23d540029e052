import {
  type CacheHint,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { View } from '~/memory/view.ts'
import { liveCorridors } from '~/service/corridors.ts'
import { version } from '../../package.json'
import { type Asker, argumentsSent } from './asker.ts'
import { type CallDeps, callTool } from './call.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { listed } from './listing.ts'
import { comparePrompt, completionOf, promptOf } from './prompt.ts'
import { answerResources } from './resource/resources.ts'
import type { Tool } from './tool.ts'

const IDENTITY = { name: 'corridor', title: 'Corridor', version }
const CAPABILITIES = { completions: {}, prompts: {}, resources: {}, tools: {} }
/** A client of 2025 would subscribe by a message that is not a stream. */
const CAPABILITIES_OF = {
  legacy: CAPABILITIES,
  modern: { ...CAPABILITIES, resources: { subscribe: true } },
}

/** Validator for client responses, which no server of ours requests; each would bring its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** Lists are the same for every key, and change with a new version of the service only. */
const LIST: CacheHint = { ttlMs: HOUR_MS, cacheScope: 'public' }

/**
 * The time for which a response about prices may be kept: until the hour turns where that is its
 * cutoff.
 */
const answerHint = ({ caller, nowMs }: Asker): CacheHint => ({
  ttlMs: caller.tier === 'hourly' ? HOUR_MS - (nowMs % HOUR_MS) : 0,
  cacheScope: 'private',
})

/** Schemas of the parameters; without them the SDK reports invalid ones as our error. */
const LISTING = { params: specTypeSchemas.PaginatedRequestParams }
const GETTING = { params: specTypeSchemas.GetPromptRequestParams }
const COMPLETING = { params: specTypeSchemas.CompleteRequestParams }

/** Creates a server for one request of one client, in every revision of the protocol. */
export function serversOf(deps: CallDeps, tools: readonly Tool[]) {
  const shown = { tools: listed(tools) }
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const noTool = `there is no such tool; there are ${[...byName.keys()].join(', ')}`
  return (asker: Asker, era: keyof typeof CAPABILITIES_OF): Server => {
    const server = new Server(IDENTITY, {
      capabilities: CAPABILITIES_OF[era],
      instructions: INSTRUCTIONS,
      jsonSchemaValidator,
      cacheHints: {
        'server/discover': LIST,
        'tools/list': LIST,
        'prompts/list': LIST,
        'resources/list': LIST,
        'resources/templates/list': LIST,
        'resources/read': answerHint(asker),
      },
    })
    server.setRequestHandler('tools/list', LISTING, () => shown)
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const tool = byName.get(params.name)
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, noTool)
      return callTool(deps, { tool, given: argumentsSent(asker, mcpReq.id), asker })
    })
    answerPrompts(server, deps, asker)
    answerResources(server, deps, asker)
    return server
  }
}

function answerPrompts(server: Server, { memory, ageLimits }: CallDeps, asker: Asker): void {
  server.setRequestHandler('prompts/list', LISTING, () => ({ prompts: [comparePrompt] }))
  server.setRequestHandler('prompts/get', GETTING, (params) =>
    promptOf(params.name, params.arguments),
  )
  server.setRequestHandler('completion/complete', COMPLETING, ({ ref, argument }) => {
    const of = ref.type === 'ref/prompt' ? ref.name : ref.uri
    const freshness = freshnessAt(asker.caller.tier, asker.nowMs, memory.isSample)
    const corridors = liveCorridors(new View(memory.current, freshness, ageLimits))
    return { completion: completionOf({ of, argument, corridors }) }
  })
}
