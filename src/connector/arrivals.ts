import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SECOND_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { type FetcherDeps, fetchAnswer } from '~/feed/fetcher.ts'
import { addressesAt } from '~/outbound/ask.ts'
import type { AllowedPlaces } from '~/outbound/places.ts'
import { bucketFolder } from './bucket.ts'
import { type Connector, SECRET } from './definition.ts'
import { documentOf } from './document.ts'
import { expressionOf } from './expression.ts'
import { localFolder } from './files.ts'
import { sftpFolder } from './sftp.ts'

const BYTES_MAX = 8 * 1024 * 1024
const ATTEMPT_MS_MAX = 30_000
/** The limit on all files of a server together. */
const FOLDER_MS_MAX = 300_000
const QUESTIONS_MAX = 1000
const FILES_MAX = 1000
const PAUSE_MS = 250
/** How long a file must have stayed as it is before it counts as written. */
const SETTLED_MS = 10 * SECOND_MS

/** What a connector asked for: the value of each name in its address. */
type Ask = Readonly<Record<string, string | number>>

/** One answer or file. */
export type Arrival = {
  /** What it says, in the form that `documentOf` gives. */
  readonly document: unknown
  readonly ask: Ask
  /** The moment of the answer, or when the file was last written. */
  readonly atMs: number
  /** What a fault names: a file, or the values that were asked for. */
  readonly name: string
  /** A file by its name, size and digest; null for an answer. */
  readonly file: string | null
}

export type Outer = {
  readonly fetcher: FetcherDeps
  readonly allowed: AllowedPlaces
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which a relative path begins. */
  readonly folder: string
  readonly agent: string
  /** The files that were processed before. */
  readonly seen: ReadonlySet<string>
}

/** All that a connector's source gives now, one after another. Throws a FeedError. */
export const arrivalsOf = (connector: Connector, outer: Outer): AsyncGenerator<Arrival> =>
  /^(file|sftp|s3):/.test(connector.from.url)
    ? filesOf(connector, outer)
    : answersOf(connector, outer)

async function* filesOf(connector: Connector, outer: Outer): AsyncGenerator<Arrival> {
  const { from } = connector
  const { folder, path } = await folderOf(connector, outer)
  try {
    const found = await folder.list(new Bun.Glob(basename(path)), FILES_MAX)
    if (found.length === 0) throw new FeedError('unreachable', `finds no file at ${path}`)
    if (found.length > FILES_MAX)
      throw new FeedError('too_large', `finds more than ${FILES_MAX} files`)
    found.sort((a, b) => a.atMs - b.atMs)
    for (const file of from.latest ? found.slice(-1) : found) {
      const { name, atMs } = file
      const unwritten = `finds ${name} still being written; run it again shortly`
      if (atMs > outer.fetcher.clock.now() - SETTLED_MS) throw new FeedError('malformed', unwritten)
      if (file.bytes > BYTES_MAX) throw new FeedError('too_large', `finds ${name} above 8 MiB`)
      const bytes = await folder.read(name)
      if (bytes.length !== file.bytes) throw new FeedError('malformed', unwritten)
      const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url')
      const id = `${name} ${bytes.length} ${digest}`
      if (outer.seen.has(id)) continue
      const document = await read(bytes, connector, name)
      yield { document, ask: {}, atMs, name, file: id }
    }
  } finally {
    await folder.close()
  }
}

async function folderOf({ from }: Connector, outer: Outer) {
  const { folder, fetcher, env } = outer
  if (from.url.startsWith('file:')) {
    const local = /^file:\/\/\//.test(from.url)
      ? fileURLToPath(from.url.replaceAll('*', '%2A')).replaceAll('%2A', '*')
      : from.url.slice('file:'.length)
    const path = resolve(folder, local)
    return { path, folder: localFolder(dirname(path)) }
  }
  const secret = (text: string | undefined) => text && withSecrets(text, env)
  const bound = { bytesMax: BYTES_MAX, signal: fetcher.deadline(FOLDER_MS_MAX) }
  const url = new URL(from.url)
  const path = decodeURIComponent(url.pathname)
  if (url.protocol === 's3:') {
    const { region = 'us-east-1', access_key, secret_key } = from
    const endpoint = from.endpoint ?? `https://s3.${region}.amazonaws.com`
    await addressOf(new URL(endpoint), outer)
    const login = { accessKeyId: secret(access_key)!, secretAccessKey: secret(secret_key)! }
    const prefix = path.slice(1, path.lastIndexOf('/') + 1)
    const place = { endpoint, region, bucket: url.hostname, prefix }
    return { path, folder: bucketFolder({ ...place, ...login, ...bound }) }
  }
  const login = { password: secret(from.password), privateKey: secret(from.key) }
  const address = await addressOf(url, outer)
  const at = { address, port: Number(url.port || 22), path: dirname(path) }
  const who = { username: decodeURIComponent(url.username), hostKey: from.host_key! }
  return { path, folder: await sftpFolder({ ...at, ...who, ...login, ...bound }) }
}

/** An address of a host that may be asked; over http an allowed one alone. */
async function addressOf(url: URL, { fetcher, allowed }: Outer): Promise<string> {
  const bounds = { allowed, isSecureOnly: url.protocol === 'http:' }
  const [address] = await addressesAt(url, fetcher, bounds).catch((error: Error) => {
    throw new FeedError('unreachable', `cannot be asked: ${error.message}`)
  })
  return address!
}

async function* answersOf(connector: Connector, outer: Outer): AsyncGenerator<Arrival> {
  const { from } = connector
  const { clock, sleep } = outer.fetcher
  const next = from.pages ? expressionOf(from.pages.next) : null
  let isFirst = true
  for (const ask of asksOf(from.each ?? {})) {
    const first = new URL(filled(from.url, ask))
    let url: URL | null = first
    for (let page = 1; url !== null; page++) {
      if (!isFirst) await sleep(PAUSE_MS)
      isFirst = false
      const { bytes } = await asked(url, { connector, outer })
      const document = await read(bytes!, connector, nameOf(ask))
      yield { document, ask, atMs: clock.now(), name: nameOf(ask), file: null }
      const link: unknown = await next?.valueIn(document)
      if (typeof link !== 'string' || link === '') break
      if (page >= from.pages!.max)
        throw new FeedError('too_large', `has more than ${from.pages!.max} pages: raise pages.max`)
      url = URL.parse(link, url.href)
      if (url?.origin !== first.origin)
        throw new FeedError('redirect', 'names a next page on another host')
    }
  }
}

const EXCERPT_BYTES = 300

/** What bytes say. A fault names the file or the question, and shows how its answer begins. */
async function read(bytes: Uint8Array, connector: Connector, name: string): Promise<unknown> {
  try {
    return await documentOf(bytes, connector)
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    const excerpt = new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES))
    const about = name === '' ? '' : ` (${name})`
    const shown = excerpt.replace(/[^\P{C}\n\t]+/gu, '\uFFFD')
    throw new FeedError(error.fault, `${error.message}${about}`, { excerpt: shown })
  }
}

type Asking = { readonly connector: Connector; readonly outer: Outer }

function asked(url: URL, { connector, outer }: Asking) {
  const { allowed, env, agent, fetcher } = outer
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:' && !allowed.hasHost(host) && !allowed.hasAddress(host))
    throw new FeedError('misconfigured', 'must be asked over https, or named in CONNECTORS_ALLOW')
  const secretHeaders = Object.fromEntries(
    Object.entries(connector.from.headers ?? {}).map(([name, text]) => [
      name.toLowerCase(),
      withSecrets(text, env),
    ]),
  )
  return fetchAnswer(
    { url, headers: { 'user-agent': agent }, secretHeaders, validators: null },
    { bytesMax: BYTES_MAX, attemptMsMax: ATTEMPT_MS_MAX, allowed },
    fetcher,
  )
}

const withSecrets = (text: string, env: Outer['env']): string =>
  text.replace(SECRET, (_, secret: string) => env[secret]?.trim() || lacking(secret))

function lacking(secret: string): never {
  throw new FeedError('misconfigured', `needs the environment variable ${secret}`)
}

/** Every combination of the values of `each`; a corridor gives `from` and `to`. */
function asksOf(each: Readonly<Record<string, readonly (string | number)[]>>): Ask[] {
  let asks: Ask[] = [{}]
  for (const [name, values] of Object.entries(each)) {
    asks = asks.flatMap((ask) => values.map((value) => ({ ...ask, ...named(name, value) })))
    if (asks.length > QUESTIONS_MAX)
      throw new FeedError('too_large', `asks more than ${QUESTIONS_MAX} questions`)
  }
  return asks
}

function named(name: string, value: string | number): Ask {
  if (name !== 'corridor') return { [name]: value }
  const [from, to] = String(value).split('/') as [string, string]
  return { corridor: value, from, to }
}

const filled = (url: string, ask: Ask): string =>
  url.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ask[name]!))

const nameOf = ({ corridor: _, ...ask }: Ask): string =>
  Object.entries(ask)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
