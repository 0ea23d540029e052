import type { Tool } from '@modelcontextprotocol/client'

/** Address of a model, from the environment. */
export type Door = {
  readonly url: string
  readonly key: string
  readonly model: string
}

/** A call that a model requests. */
export type Wanted = { readonly id: string; readonly name: string; readonly args: object }

/** Result of a tool for such a call. */
export type Done = { readonly id: string; readonly text: string; readonly isError: boolean }

/** A conversation with a model, in one of the two API formats of models. */
export type Chat = {
  /**
   * Sends the prompt or the results of calls; returns the calls that the model requests next, none
   * at its end.
   */
  ask(input: string | readonly Done[]): Promise<readonly Wanted[]>
}

export type Offered = Pick<Tool, 'name' | 'description' | 'inputSchema'>

export type Opening = {
  readonly door: Door
  readonly system: string
  readonly tools: readonly Offered[]
}

/** Maximum length of a model's reply, in tokens. */
export const TOKENS_MAX = 2000
const SHOWN_MAX = 300

/** Posts JSON and reads JSON. Throws the endpoint's error. */
export async function posted(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<unknown> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (!reply.ok)
    throw new Error(`the model's endpoint: ${reply.status} ${text.slice(0, SHOWN_MAX)}`)
  return JSON.parse(text)
}
