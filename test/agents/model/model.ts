import type { Player, Tools } from '../player/player.ts'
import { type Caveat, DECLINED, type Reply, said } from '../question.ts'
import type { Chat, Done, Door, Offered, Wanted } from './chat.ts'
import { completionsChat } from './completions.ts'
import { messagesChat } from './messages.ts'

/** The model's API that the environment names; null if it names none. */
export function doorOf(env: Readonly<Record<string, string | undefined>>): Door | null {
  const { AGENTS_MODEL_URL: url, AGENTS_MODEL_KEY: key, AGENTS_MODEL: model } = env
  if (url === undefined) return null
  if (!key || !model) throw new Error('AGENTS_MODEL_URL needs AGENTS_MODEL_KEY and AGENTS_MODEL')
  return { url, key, model }
}

/** Number of rounds of calls before a question counts as declined. */
const TURNS_MAX = 8
const CAVEATS: readonly Caveat[] = ['nearest', 'stale', 'earlier']

const ANSWER: Offered = {
  name: 'give_answer',
  description: 'Gives the answer to the question. Call it once, at the end.',
  inputSchema: {
    type: 'object',
    properties: {
      declined: { type: 'boolean', description: 'Whether the question cannot be answered.' },
      figure: { type: 'number', description: 'The figure asked for, in its unit; percent as 2.5.' },
      name: { type: 'string', description: 'The provider as named, or the code of the country.' },
      list: {
        type: 'array',
        items: { type: 'string' },
        description: 'Pairs of countries in their order, as codes: GB/KE.',
      },
      date: { type: 'string', description: 'The date of the figure, YYYY-MM-DD.' },
      caveats: {
        type: 'array',
        items: { type: 'string', enum: [...CAVEATS] },
        description:
          'What has to be said with it. nearest: the price is for another amount; stale: it is ' +
          'old; earlier: the rate is of an earlier date than the one asked for.',
      },
    },
    required: ['declined'],
  },
}

const SYSTEM =
  'Answer the question by the tools, about a sample as if it were today, then call give_answer. ' +
  'Decline where the answer cannot be known, or is a matter of opinion; never guess a figure.'

/** A player that is a model behind an address. */
export const modelPlayer =
  (door: Door, offered: readonly Offered[], instructions: string): Player =>
  async ({ text }, tools) => {
    const chatOf = new URL(door.url).pathname.endsWith('/messages') ? messagesChat : completionsChat
    const system = `${SYSTEM}\n\n${instructions}`
    const chat = chatOf({ door, system, tools: [...offered, ANSWER] })
    return (await played(chat, text, tools)) ?? DECLINED
  }

async function played(chat: Chat, question: string, tools: Tools): Promise<Reply | null> {
  let input: string | readonly Done[] = question
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const wanted = await chat.ask(input)
    const answer = wanted.find(({ name }) => name === ANSWER.name)
    if (answer) return replyOf(answer)
    if (wanted.length === 0) return null
    input = await Promise.all(wanted.map((one) => done(one, tools)))
  }
  return null
}

async function done({ id, name, args }: Wanted, tools: Tools): Promise<Done> {
  const answer = await tools.callText(name, args as Record<string, unknown>)
  return { id, ...answer }
}

type Given = Partial<Reply> & { readonly declined?: boolean }

function replyOf({ args }: Wanted): Reply {
  const { declined = false, ...given } = args as Given
  return declined ? DECLINED : said(given)
}
