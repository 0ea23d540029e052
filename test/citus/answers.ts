import type { Replica } from '../fault/replica.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Headers of the request itself, of an account's earlier requests, or of a database's own log. */
const OF_THE_REQUEST =
  /^(date|x-request-id|(x-)?ratelimit.*|content-length|server-timing|x-corridor-position)$/

export async function asked(
  { origin }: Pick<Replica, 'origin'>,
  path: string,
  init: RequestInit,
): Promise<Answer> {
  const answer = await fetch(origin + path, { redirect: 'manual', ...init })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const text = bytes.toString(path.endsWith('.gz') ? 'hex' : 'utf8')
  const headers = [...answer.headers].filter(([name]) => !OF_THE_REQUEST.test(name))
  return { status: answer.status, headers: Object.fromEntries(headers), text }
}

/** Ids, of which one server uses up more: there a batch that restates rows is inserted twice. */
const IDS = /"ids":\[[\d,]*\]|"id":\d+|^\d+(?=,)/gm

const withoutIds = ({ text }: Answer): string => text.replace(IDS, 'id')

/**
 * First difference of two responses, as a sentence; null if they are byte for byte the same, apart
 * from ids.
 */
export function differenceOf(one: Answer, other: Answer): string | null {
  if (one.status !== other.status) return `status ${one.status} and ${other.status}`
  const names = new Set([...Object.keys(one.headers), ...Object.keys(other.headers)])
  for (const name of names) {
    const [a, b] = [one.headers[name], other.headers[name]]
    if (a !== b && one.text === other.text) return `header ${name}: ${a} and ${b}`
  }
  const [a, b] = [withoutIds(one), withoutIds(other)]
  if (a === b) return null
  let i = 0
  while (a[i] === b[i]) i++
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, i - 60), i + 100))
  return `at ${i}: ${around(a)} and ${around(b)}`
}
