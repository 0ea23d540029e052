import {
  CompleteRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { RpcRequest } from './message.ts'

const SHAPES = new Map(
  [
    CompleteRequestSchema,
    GetPromptRequestSchema,
    InitializeRequestSchema,
    ListPromptsRequestSchema,
    ListResourcesRequestSchema,
    ListResourceTemplatesRequestSchema,
    ListToolsRequestSchema,
    ReadResourceRequestSchema,
  ].map((shape) => [shape.shape.method.value as string, shape] as const),
)

const FAULTS_MAX = 5

/**
 * What is wrong with the params of a request, as a sentence; null where nothing is. The SDK would
 * answer with an internal error in its library's own words.
 */
export function paramsFault({ method, params }: RpcRequest): string | null {
  const shape = SHAPES.get(method)
  const read = shape?.safeParse({ method, params })
  if (!read || read.success) return null
  const faults = read.error.issues
    .slice(0, FAULTS_MAX)
    .map(({ path, message }) => `${path.join('.') || 'params'}: ${message}`)
  return `the params of ${method} are invalid: ${faults.join('; ')}`
}
