import { createHash } from 'node:crypto'
import Client from 'ssh2-sftp-client'
import { FeedError } from '~/domain/feed/feed.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import type { Folder } from './files.ts'

const READY_MS_MAX = 20_000

type Server = {
  /** The only address to connect to. */
  readonly address: string
  readonly port: number
  readonly username: string
  readonly password: string | undefined
  /** A private key as OpenSSH or PEM has it. */
  readonly privateKey: string | undefined
  /** The fingerprint that `ssh-keygen -lf` prints: `SHA256:` and base64. */
  readonly hostKey: string
  readonly path: string
  readonly bytesMax: number
  readonly signal: AbortSignal
}

/** A folder of an SFTP server, which has to show the host key that is expected. */
export async function sftpFolder(server: Server): Promise<Folder> {
  const { address: host, port, username, password, privateKey, path, bytesMax, signal } = server
  let isOther = false
  const hostVerifier = (key: Buffer): boolean => {
    isOther = fingerprintOf(key) !== server.hostKey.replace(/=+$/, '')
    return !isOther
  }
  const client = new Client('corridor', { error: () => {}, end: () => {}, close: () => {} })
  const close = async () => void (await client.end().catch(() => false))
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await beforeEnd(work, signal)
    } catch (error) {
      void close()
      throw isOther ? otherKey() : faultOf(error as Error, signal)
    }
  }
  const login = { username, ...(password && { password }), ...(privateKey && { privateKey }) }
  const how = { hostVerifier, readyTimeout: READY_MS_MAX }
  await asked(client.connect({ host, port, ...login, ...how }))
  const read = async (name: string) => {
    const options = { readStreamOptions: { start: 0, end: bytesMax } as object }
    return (await asked(client.get(`${path}/${name}`, undefined, options))) as Buffer
  }
  return {
    async list(pattern, max) {
      const all = await asked(client.list(path))
      const files = all.filter(({ type, name }) => type === '-' && pattern.match(name))
      return files.slice(0, max + 1).map(({ name, modifyTime, size }) => ({
        ...{ name, atMs: modifyTime, bytes: size, isWhole: false },
        read: () => read(name),
      }))
    },
    close,
  }
}

const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

const otherKey = () =>
  new FeedError(
    'insecure',
    'shows another host key than from.host_key: ask its operator whether it changed',
  )

function faultOf(error: Error, signal: AbortSignal): FeedError {
  if (signal.aborted) return new FeedError('timeout', 'did not respond in time')
  if (/authentication/i.test(error.message))
    return new FeedError('unauthorized', 'refused the user, the password or the key')
  if (/no such file/i.test(error.message))
    return new FeedError('unreachable', 'has no folder or file of that name')
  if (/permission/i.test(error.message))
    return new FeedError('unauthorized', 'does not let the user read the folder')
  return new FeedError('unreachable', 'could not be reached by SFTP, or broke off')
}
