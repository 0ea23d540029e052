import { type Chat, type Done, type Opening, posted, TOKENS_MAX, type Wanted } from './chat.ts'

type Call = { readonly id: string; readonly function: { name: string; arguments: string } }
type Reply = { readonly choices: readonly [{ readonly message: { readonly tool_calls?: Call[] } }] }

/** A conversation in the form of OpenAI's chat completions. */
export function completionsChat({ door, system, tools }: Opening): Chat {
  const messages: object[] = [{ role: 'system', content: system }]
  const offered = tools.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  return {
    async ask(input) {
      messages.push(...messagesOf(input))
      const body = { model: door.model, max_tokens: TOKENS_MAX, messages, tools: offered }
      const headers = { authorization: `Bearer ${door.key}` }
      const { choices } = (await posted(door.url, headers, body)) as Reply
      const [{ message }] = choices
      messages.push(message)
      return (message.tool_calls ?? []).map(wantedOf)
    },
  }
}

const messagesOf = (input: string | readonly Done[]): object[] =>
  typeof input === 'string'
    ? [{ role: 'user', content: input }]
    : input.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))

const wantedOf = ({ id, function: { name, arguments: text } }: Call): Wanted => ({
  id,
  name,
  args: JSON.parse(text || '{}'),
})
