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
import { INSTRUCTIONS } from './instructions.ts'
import { listed } from './listing.ts'
import { RpcRefusal, type RpcRequest } from './message.ts'
import { comparePrompt, completionOf, promptOf } from './prompt.ts'
import { paramsFault } from './shape.ts'
import type { Tool } from './tool.ts'

const VERSION = '1.0.0'

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
  const shown = { tools: listed(tools) }
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
