import { FeedError } from '~/domain/feed/feed.ts'
import { jsonOf } from './document.ts'

/** A JSON value with the digits of its numbers and no duplicate names, unlike JSON.parse. */
export type ExactJson = string | boolean | null | Numeral | ExactJson[] | ExactObject
export type ExactObject = Map<string, ExactJson>

/** A number as written. */
export class Numeral {
  constructor(readonly text: string) {}
}

const DEPTH_MAX = 8
const TOKEN = /[\s,:]*(?:([{}[\]])|("(?:[^"\\]|\\.)*")|(true|false|null)|([-\d][\d.eE+-]*))/y

/** Throws a FeedError `malformed` if the string is not JSON, nests too deep or repeats a name. */
export function exactJson(text: string): ExactJson {
  jsonOf(text)
  const root: ExactJson[] = []
  const open: (ExactJson[] | ExactObject)[] = [root]
  let name: string | null = null
  const put = (value: ExactJson): void => {
    const parent = open.at(-1)!
    if (Array.isArray(parent)) parent.push(value)
    else {
      parent.set(name!, value)
      name = null
    }
  }
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const [, bracket, quoted, word, number] = TOKEN.exec(text)!
    const parent = open.at(-1)!
    if (bracket === '}' || bracket === ']') open.pop()
    else if (bracket) {
      if (open.length > DEPTH_MAX) throw new FeedError('malformed', 'nests its response too deeply')
      const child: ExactJson[] | ExactObject = bracket === '{' ? new Map() : []
      put(child)
      open.push(child)
    } else if (quoted && parent instanceof Map && name === null) {
      name = unquoted(quoted)
      if (parent.has(name)) throw new FeedError('malformed', 'gives a field twice')
    } else if (quoted) put(unquoted(quoted))
    else put(word ? (JSON.parse(word) as boolean | null) : new Numeral(number!))
  }
  return root[0]!
}

const unquoted = (quoted: string): string =>
  quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)

/** The object that a document consists of. */
export function objectOf(value: ExactJson | undefined, what: string): ExactObject {
  if (value instanceof Map) return value
  throw new FeedError('malformed', `gives ${what} that is not an object`)
}

export function textOf(object: ExactObject, name: string): string {
  const value = object.get(name)
  if (typeof value === 'string') return value
  throw new FeedError('malformed', `gives no text as ${name}`)
}

/** The time of a field in whole seconds since 1970, in milliseconds. */
export function unixMsOf(object: ExactObject, name: string): number {
  const value = object.get(name)
  if (value instanceof Numeral && /^-?\d{1,12}$/.test(value.text)) return Number(value.text) * 1000
  throw new FeedError('malformed', `gives no time in seconds as ${name}`)
}
