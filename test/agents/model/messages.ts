import { type Chat, type Done, type Opening, posted, TOKENS_MAX, type Wanted } from './chat.ts'

type Block =
  | {
      readonly type: 'tool_use'
      readonly id: string
      readonly name: string
      readonly input: object
    }
  | { readonly type: 'text'; readonly text: string }
type Reply = { readonly content: readonly Block[] }

const VERSION = '2023-06-01'

/** A conversation in the form of Anthropic's messages. */
export function messagesChat({ door, system, tools }: Opening): Chat {
  const messages: object[] = []
  const offered = tools.map(({ name, description, inputSchema }) => ({
    ...{ name, description, input_schema: inputSchema },
  }))
  return {
    async ask(input) {
      messages.push({ role: 'user', content: contentOf(input) })
      const body = { model: door.model, max_tokens: TOKENS_MAX, system, messages, tools: offered }
      const headers = { 'x-api-key': door.key, 'anthropic-version': VERSION }
      const { content } = (await posted(door.url, headers, body)) as Reply
      messages.push({ role: 'assistant', content })
      return content.flatMap(wantedIn)
    },
  }
}

const contentOf = (input: string | readonly Done[]) =>
  typeof input === 'string'
    ? input
    : input.map(({ id, text, isError }) => ({
        ...{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError },
      }))

const wantedIn = (block: Block): Wanted[] =>
  block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : []
