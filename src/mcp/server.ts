import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type MessageExtraInfo,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { ServiceError } from '~/domain/errors.ts'
import { View } from '~/memory/view.ts'
import { type CallDeps, callTool, failureBody, metered } from './call.ts'
import { CATALOGUE_URI, catalogueResource, presentCatalogue } from './catalogue.ts'
import { type Asker, askerOf, Exchange, type RpcReply } from './exchange.ts'
import { RpcRefusal, type RpcRequest } from './message.ts'
import { comparePrompt, completionOf, promptOf } from './prompt.ts'
import { paramsFault } from './shape.ts'
import { listed, type Tool } from './tool.ts'

const VERSION = '1.0.0'

const INSTRUCTIONS = [
  'Prices of moving money into, out of and across Africa: what providers quote for a corridor (an',
  'ordered pair of currencies) and an independent mid-market rate to judge them by.',
  'For an amount to send use convert, with the countries and ways of paying that are known; for',
  'how expensive a route between countries is get_costs; for the rates in one corridor get_rates;',
  'for many pairs at once fetch_rates; for the past get_history; for what there is list_corridors,',
  'list_providers and list_currencies.',
  'A rate is units of the target currency per one unit of the source. Kinds of price (rate_type)',
  'are never compared with each other; official and parallel prices cannot be executed.',
  'data_freshness says how fresh an answer is: realtime, or hourly, which is the state at as_of,',
  'the top of the current UTC hour. What is unknown is left out.',
  'Each successful tool call costs one unit of a daily quota; a failed one costs nothing and says',
  'what to change.',
].join(' ')

/** A reply as JSON. */
export type Answered = { readonly text: string; readonly isError: boolean }

/** Answers one request of any client, also when it fails. */
export type Answerer = {
  answer(request: RpcRequest, asker: Asker): Promise<Answered>
  /** How many requests have no answer yet. */
  readonly waiting: number
}

/**
 * The protocol behind all clients, put together for the first that needs it. The SDK's server
 * answers everything except `tools/call`, which would take half as long again through it and be
 * checked by schemas that know less than ours.
 */
export function answererOf(deps: CallDeps, tools: readonly Tool[]): Answerer {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  let exchange: Exchange | null = null
  const connected = (): Exchange => {
    if (exchange) return exchange
    exchange = new Exchange()
    void serverOf(deps, tools).connect(exchange)
    return exchange
  }
  return {
    async answer(request, asker) {
      if (request.method === 'tools/call') return callOf(deps, byName, { request, asker })
      const fault = paramsFault(request)
      return fault === null
        ? written(await connected().ask(request, asker))
        : refused(request, fault)
    },
    get waiting() {
      return exchange?.waiting ?? 0
    },
  }
}

async function callOf(
  deps: CallDeps,
  tools: ReadonlyMap<unknown, Tool>,
  { request, asker }: { request: RpcRequest; asker: Asker },
): Promise<Answered> {
  const { id, params } = request
  const tool = tools.get(params?.name)
  if (tool) {
    const result = await callTool(deps, { tool, given: params?.arguments, asker })
    return {
      text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
      isError: false,
    }
  }
  return refused(request, `there is no such tool; there are ${[...tools.keys()].join(', ')}`)
}

const refused = ({ id }: RpcRequest, message: string): Answered =>
  written({ jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidParams, message } })

const written = (reply: RpcReply): Answered => ({
  text: JSON.stringify(reply),
  isError: reply.error !== undefined,
})

function serverOf(deps: CallDeps, tools: readonly Tool[]): Server {
  const server = new Server(
    { name: 'corridor', title: 'Corridor', version: VERSION },
    {
      capabilities: { completions: {}, prompts: {}, resources: {}, tools: {} },
      instructions: INSTRUCTIONS,
    },
  )
  server.onerror = (err) => deps.log.warn({ err }, 'tool server')
  const shown = { tools: tools.map(listed) }
  server.setRequestHandler(ListToolsRequestSchema, () => shown)
  answerResources(server, deps)
  answerPrompts(server, deps)
  return server
}

function answerPrompts(server: Server, { memory }: CallDeps): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [comparePrompt] }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    promptOf(params.name, params.arguments),
  )
  server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument } }) => {
    const name = ref.type === 'ref/prompt' ? ref.name : null
    const codes = memory.current.catalogue.supportedCodes
    return { completion: completionOf({ prompt: name, argument, codes }) }
  })
}

function answerResources(server: Server, deps: CallDeps): void {
  const none = { resourceTemplates: [] }
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [catalogueResource] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => none)
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, extra) => {
    if (uri !== CATALOGUE_URI)
      throw new RpcRefusal(RESOURCE_NOT_FOUND, `there is no such resource; read ${CATALOGUE_URI}`)
    const text = await readCatalogue(deps, extra)
    return { contents: [{ uri, mimeType: catalogueResource.mimeType, text }] }
  })
}

/** https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling */
const RESOURCE_NOT_FOUND = -32002

async function readCatalogue(deps: CallDeps, extra: MessageExtraInfo): Promise<string> {
  try {
    return await metered(deps, askerOf(extra), (freshness) => {
      const view = new View(deps.memory.current, freshness, deps.ageLimits)
      return JSON.stringify(presentCatalogue(view))
    })
  } catch (error) {
    const { error: message, ...data } = failureBody(error, deps.log)
    const code = error instanceof ServiceError ? ErrorCode.InvalidRequest : ErrorCode.InternalError
    throw new RpcRefusal(code, message, data)
  }
}
