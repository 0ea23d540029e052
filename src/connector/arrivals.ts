import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MINUTE_MS, SECOND_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { addressesAt } from '~/outbound/ask.ts'
import { bucketEndpoint } from '~/outbound/signed-request.ts'
import { ANSWER_BYTES_MAX, answersOf, limitsFor } from './answers.ts'
import type { Arrival, Outer } from './arrival.ts'
import { bucketFolder } from './bucket.ts'
import { type Found, localFolder } from './files.ts'
import type { Connector } from './schema.ts'
import { withSecrets } from './secrets.ts'

/** The limit on all files of a server together. */
const FOLDER_MS_MAX = 300_000
const FILES_MAX = 1000
/** The most files that a run leaves out because they cannot be read; at one more it ends. */
const UNREAD_MAX = 10
/** The time that a file must have stayed as it is before it counts as written. */
const SETTLED_MS = 10 * SECOND_MS

/**
 * The current responses or files of a connector's source, in sequence. Throws a FeedError, for a
 * file that cannot be read after the others.
 */
export const arrivalsOf = (connector: Connector, outer: Outer): AsyncGenerator<Arrival> =>
  /^https?:/.test(connector.from.url) ? answersOf(connector, outer) : filesOf(connector, outer)

async function* filesOf(connector: Connector, outer: Outer): AsyncGenerator<Arrival> {
  const { from } = connector
  const { reading, seen } = outer
  const { folder, path } = await folderOf(connector, outer)
  try {
    const found = await folder.list(new Bun.Glob(basename(path)), FILES_MAX)
    if (found.length === 0) throw new FeedError('unreachable', `finds no file at ${path}`)
    if (found.length > FILES_MAX)
      throw new FeedError(
        'too_large',
        `finds more than ${FILES_MAX} files: move old ones elsewhere, or narrow the pattern`,
      )
    found.sort((a, b) => a.atMs - b.atMs)
    const versions = new Set([...seen].map(versionOf))
    const contents = new Map([...seen].map((id) => [nameOf(id), contentOf(id)]))
    const nowMs = outer.fetcher.clock.now()
    let isFirst = true
    const unread: FeedError[] = []
    for (const file of from.latest ? found.slice(-1) : found) {
      const { name, atMs } = file
      if (versions.has(`${name} ${file.bytes} ${atMs}`) || isEmptyOf(file)) continue
      const isOne = (error: unknown) => {
        if (!isOfFile(error) || unread.push(error) > UNREAD_MAX) throw error
      }
      const bytes = await written(file, nowMs).catch(isOne)
      if (bytes === undefined) continue
      if (bytes === null && !isFirst) break
      if (bytes === null) throw unwritten(name)
      const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url')
      const id = `${name} ${file.bytes} ${digest} ${atMs}`
      if (contents.get(name) === contentOf(id)) continue
      const page = await reading.page({ bytes, connector, ask: {} }, name).catch(isOne)
      if (!page) continue
      yield { ...page, atMs: Math.min(atMs, nowMs), name, file: id }
      isFirst = false
    }
    if (unread[0]) throw unread[0]
    const newest = found.at(-1)!
    if (isFirst && isEmptyOf(newest)) throw new FeedError('malformed', `finds ${newest.name} empty`)
  } finally {
    await folder.close()
  }
}

/** Reports whether an error is that of one file, so that the others may be read. */
const isOfFile = (error: unknown): error is FeedError =>
  error instanceof FeedError && !error.isTransient && error.retryAfterMs === null

const isEmptyOf = ({ bytes }: Found): boolean => bytes === 0

const nameOf = (id: string): string => id.replace(/ \d+ \S+ -?\d+$/, '')
/** A file's name, size and digest, from its remembered id. */
const contentOf = (id: string): string => id.replace(/ -?\d+$/, '')
/** A file's name, size and time: of one that still has them the content need not be read again. */
const versionOf = (id: string): string => id.replace(/ \S+( -?\d+)$/, '$1')

/** The content of a file; null for one that may still be being written. */
async function written(file: Found, nowMs: number): Promise<Uint8Array | null> {
  const { name, atMs, isWhole } = file
  if (!isWhole && Math.abs(nowMs - atMs) < SETTLED_MS) return null
  const tooLarge = () => new FeedError('too_large', `finds ${name} above 8 MiB`)
  if (file.bytes > ANSWER_BYTES_MAX) throw tooLarge()
  const bytes = await file.read()
  if (bytes.length > ANSWER_BYTES_MAX) throw tooLarge()
  return isWhole || bytes.length === file.bytes ? bytes : null
}

const unwritten = (name: string) =>
  new FeedError('malformed', `finds ${name} still being written`, { retryAfterMs: MINUTE_MS })

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
  const bound = { bytesMax: ANSWER_BYTES_MAX, signal: fetcher.deadline(FOLDER_MS_MAX) }
  const url = new URL(from.url)
  const path = decodeURIComponent(url.pathname)
  if (url.protocol === 's3:') {
    const { region = 'us-east-1', access_key, secret_key } = from
    const endpoint = from.endpoint ? new URL(from.endpoint) : bucketEndpoint(region)
    const limits = limitsFor(endpoint, outer)
    const login = { accessKeyId: secret(access_key)!, secretAccessKey: secret(secret_key)! }
    const prefix = path.slice(1, path.lastIndexOf('/') + 1)
    const place = { endpoint, region, bucket: url.hostname, prefix }
    return { path, folder: bucketFolder({ ...place, ...login, limits, fetcher }) }
  }
  const login = { password: secret(from.password), privateKey: secret(from.key) }
  const address = await addressOf(url, outer)
  const who = { address, username: decodeURIComponent(url.username) }
  if (url.protocol === 'sftp:') {
    const at = { port: Number(url.port || 22), path: dirname(path), hostKey: from.host_key! }
    const { sftpFolder } = await import('./sftp.ts')
    return { path, folder: await sftpFolder({ ...at, ...who, ...login, ...bound }) }
  }
  const emails = { mailbox: dirname(path).slice(1), sender: from.sender!, subject: from.subject }
  const { allowed } = outer
  const mayBePlain = allowed.hasHost(url.hostname) || allowed.hasAddress(address)
  const how = { url, mayBePlain, password: login.password!, nowMs: fetcher.clock.now() }
  const { mailFolder } = await import('./mail.ts')
  return { path, folder: await mailFolder({ ...emails, ...who, ...how, ...bound }) }
}

/** An address of a host that may be asked. */
async function addressOf(url: URL, { fetcher, allowed }: Outer): Promise<string> {
  const bounds = { allowed, isSecureOnly: false }
  const [address] = await addressesAt(url, fetcher, bounds).catch((error: Error) => {
    throw new FeedError('unreachable', `cannot be reached: ${error.message}`)
  })
  return address!
}
