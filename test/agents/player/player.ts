import type { Client } from '@modelcontextprotocol/client'
import type { Question, Reply } from '../question.ts'

// biome-ignore lint/suspicious/noExplicitAny: a player looks for what it hopes to find
export type Body = any

export type Answer = { readonly isError: boolean; readonly body: Body }

const CHARACTERS_OF_A_TOKEN = 4

/** Calls tools and counts calls and tokens. */
export class Tools {
  calls = 0
  #characters = 0

  constructor(readonly client: Client) {}

  /** Approximate tokens that a model reads and writes for the calls, at four characters each. */
  get tokens(): number {
    return this.#characters / CHARACTERS_OF_A_TOKEN
  }

  async call(name: string, args: Record<string, unknown>): Promise<Answer> {
    const text = await this.callText(name, args)
    return { isError: text.isError, body: JSON.parse(text.text) }
  }

  async callText(name: string, args: Record<string, unknown>) {
    const result = await this.client.callTool({ name, arguments: args })
    const [content] = result.content
    if (content?.type !== 'text') throw new Error('a tool returns one text')
    this.calls++
    this.#characters += content.text.length + JSON.stringify(args).length
    return { isError: result.isError === true, text: content.text }
  }
}

/** Answers a question with the tools, from its words alone. */
export type Player = (
  question: Pick<Question, 'template' | 'slots' | 'text'>,
  tools: Tools,
) => Promise<Reply>
