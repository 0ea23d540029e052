import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServerFactory,
  PROTOCOL_VERSION_META_KEY,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

export type Handle = McpHttpHandler['fetch']

type Making = {
  readonly serverFor: McpServerFactory
  readonly onerror: (error: Error) => void
  /** Handles subscriptions, and leaves everything else to the handler given. */
  readonly listening: (handle: Handle) => Handle
}

/**
 * The SDK's HTTP handler for every revision of the protocol, with a fresh server for each request.
 *
 * The SDK would send clients of 2025 a stream of events, whose headers are gone before it is known
 * what a call costs. Here they get JSON, like those of today.
 */
export function handlerOf({ serverFor, onerror, listening }: Making): Handle {
  const modern = listening(createMcpHandler(serverFor, { legacy: 'reject', onerror }).fetch)
  return async (request, given = {}) => {
    if (!(await isOf2025(request, given.parsedBody))) return modern(request, given)
    request.headers.set('accept', 'application/json, text/event-stream')
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = await serverFor({ era: 'legacy', ...given, requestInfo: request })
    await server.connect(transport)
    return transport.handleRequest(request, given)
  }
}

type Claiming = { readonly params?: { readonly _meta?: Record<string, unknown> } } | null

/** The SDK's own verdict, but for a message that names its revision: that takes half as long. */
const isOf2025 = async (request: Request, body: unknown): Promise<boolean> =>
  (body as Claiming)?.params?._meta?.[PROTOCOL_VERSION_META_KEY] === undefined &&
  isLegacyRequest(request, body)
