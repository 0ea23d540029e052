import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Corridor } from '~/domain/corridor.ts'
import { countriesUsing } from '~/domain/offer/country.ts'
import { PAY_WAYS } from '~/domain/offer/terms.ts'
import { ratesTemplate } from './resource/rates.ts'

const ARGUMENTS = [
  { name: 'from', description: 'Currency the sender pays in, such as GBP.' },
  { name: 'to', description: 'Currency the recipient gets, such as KES.' },
  { name: 'amount', description: 'The amount to send, in `from`.', required: true },
  { name: 'source_country', description: 'Country of the sender; `from` may be left out then.' },
  {
    name: 'target_country',
    description: 'Country of the recipient, instead of `to` or with it.',
  },
  { name: 'pay_in', description: `How the sender pays: ${PAY_WAYS.join(', ')}.` },
  { name: 'pay_out', description: 'How the recipient is paid, in the words of `pay_in`.' },
]

/** Sides of a comparison, each by its currency or its country. */
const SIDES = [
  ['from', 'source_country'],
  ['to', 'target_country'],
] as const

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
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `there is no such prompt; use ${comparePrompt.name}`,
    )
  const said = new Map(ARGUMENTS.flatMap(({ name }) => saidOf(name, given[name])))
  for (const names of [['amount'], ...SIDES])
    if (!names.some((name) => said.has(name))) throw unusable(names.join(' or '))
  const named = [...said].map(([name, value]) => `${name} ${value}`)
  const text = [
    `I want to send money: ${named.join(', ')}.`,
    'Call convert with exactly these arguments, and a limit of 50.',
    'Then show a table of the executable providers, best net amount first: provider, rate, fee',
    'with its currency, what the recipient gets, and how much less that is than with the best.',
    'Recommend best_current; where best is another, say that it is stale, its fee is unknown, or',
    'it costs more at at_amount: a nearest price is compared at at_amount. Give the cost of each',
    'as cost.total_pct, and cost.total only where it is given. Where amount_match is nearest, say',
    'that the cost is for at_amount; never name a net amount or a cost for an',
    'out_of_range entry: say for which amounts its price is known. Do not recommend a suspect',
    'price: quote what suspect says. If unspecified names a condition, say that the price',
    'does not state it. Say how old the quotes are (as_of, last_updated, is_stale), read note, and',
    'mention official or parallel prices only as background: no money can be sent at them. Leave',
    'out what you were not given.',
  ].join(' ')
  return {
    description: comparePrompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}

/** The string of an argument; nothing if it is absent or blank. */
function saidOf(name: string, value: string | undefined): [string, string][] {
  const text = value?.trim() ?? ''
  if (text.length > ARGUMENT_LENGTH_MAX) throw unusable(name)
  return text === '' ? [] : [[name, text]]
}

const unusable = (name: string): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${name} must have 1 to ${ARGUMENT_LENGTH_MAX} characters`,
  )

const COMPLETIONS_MAX = 100

type Completing = {
  /** The name of a prompt, or the template of a resource. */
  readonly of: string
  readonly argument: { readonly name: string; readonly value: string }
  /** Quoted corridors, the only ones that are proposed. */
  readonly corridors: readonly Corridor[]
}

/** Completes an argument of the prompt or the resource; nothing for anything else. */
export function completionOf({ of, argument, corridors }: Completing) {
  const isKnown = of === comparePrompt.name || of === ratesTemplate.uriTemplate
  const all = isKnown ? wordsFor(argument.name, corridors) : []
  const start = argument.value.trim().toLowerCase()
  const found = all.filter((word) => word.toLowerCase().startsWith(start))
  const values = found.slice(0, COMPLETIONS_MAX)
  return { values, total: found.length, hasMore: values.length < found.length }
}

function wordsFor(name: string, corridors: readonly Corridor[]): readonly string[] {
  if (name.startsWith('pay_')) return PAY_WAYS
  const side = SIDES.find((names) => names.some((one) => one === name))?.[0]
  if (side === undefined) return []
  const codes = [...new Set(corridors.map((one) => one[side]))].sort()
  if (name === side) return codes
  const countries = codes.flatMap((code) => countriesUsing(code).map((country) => country.name))
  return [...new Set(countries)].sort()
}
