import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { RpcRefusal } from './message.ts'

const ARGUMENTS = [
  { name: 'from', description: 'Currency the sender pays in, such as GBP.', required: true },
  { name: 'to', description: 'Currency the recipient gets, such as KES.', required: true },
  { name: 'amount', description: 'The amount to send, in `from`.', required: true },
]

export const comparePrompt = {
  name: 'compare_providers',
  title: 'Compare providers for a transfer',
  description: 'Finds the provider that leaves the recipient most, and says how sure that is.',
  arguments: ARGUMENTS,
}

const ARGUMENT_LENGTH_MAX = 100

/** The prompt for one transfer. Throws InvalidParams for an unknown one or unusable arguments. */
export function promptOf(name: string, given: Readonly<Record<string, string>> = {}) {
  if (name !== comparePrompt.name)
    throw new RpcRefusal(
      ErrorCode.InvalidParams,
      `there is no such prompt; use ${comparePrompt.name}`,
    )
  const [from, to, amount] = ARGUMENTS.map((argument) => {
    const text = given[argument.name]?.trim()
    if (!text || text.length > ARGUMENT_LENGTH_MAX)
      throw new RpcRefusal(
        ErrorCode.InvalidParams,
        `${argument.name} must have 1 to ${ARGUMENT_LENGTH_MAX} characters`,
      )
    return text
  })
  const text = [
    `I want to send ${amount} ${from} to someone who is paid in ${to}.`,
    `Call convert with from ${from}, to ${to} and amount ${amount}.`,
    'Then show a table of the executable providers, best net amount first: provider, rate, fee',
    'with its currency, what the recipient gets, and how much less that is than with the best.',
    'Recommend best_current; where best is another, say that it is stale or its fee unknown.',
    'Say what each transfer costs in all (cost.total_pct and cost.total) where that is given, how',
    'old the quotes are (as_of, last_updated, is_stale), and mention official or parallel prices',
    'only as background: nobody can send money at them. Leave out what you were not given.',
  ].join(' ')
  return {
    description: comparePrompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}

/** The most completions that one answer may hold. */
const COMPLETIONS_MAX = 100

type Completing = {
  readonly prompt: string | null
  readonly argument: { readonly name: string; readonly value: string }
  readonly codes: readonly string[]
}

/** Currency codes that start like the argument of the prompt; none for anything else. */
export function completionOf({ prompt, argument, codes }: Completing) {
  const isCode = prompt === comparePrompt.name && ['from', 'to'].includes(argument.name)
  const start = argument.value.trim().toUpperCase()
  const found = isCode ? codes.filter((code) => code.startsWith(start)) : []
  const values = found.slice(0, COMPLETIONS_MAX)
  return { values, total: found.length, hasMore: values.length < found.length }
}
