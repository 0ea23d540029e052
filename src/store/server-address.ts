import postgres, { type Sql } from 'postgres'
import { type DatabaseAddress, databaseAddress } from '~/outbound/database-address.ts'
import { tlsOf } from './tls.ts'

/** Settings of libpq's own, which the driver would pass on to a server that refuses them. */
const LIBPQ_ONLY = ['channel_binding', 'gssencmode', 'sslcompression', 'pgbouncer']

export const portOf = ({ options }: Sql): number => options.port[0]!

/** Directs new connections to this port. */
export function moveTo({ options }: Sql, port: number): void {
  options.port[0] = port
}

/** The address a client connects to, with the password: never to be logged. */
export function serverUrlOf({ options }: Sql): string {
  const { user, pass, host, port, database } = options
  const login = [user, String(pass)].map(encodeURIComponent).join(':')
  const name = host[0]?.includes(':') ? `[${host[0]}]` : host[0]
  return `postgres://${login}@${name}:${port[0]}/${encodeURIComponent(database)}`
}

/** The address that the driver reads, and the options that it does not read out of it. */
export function serverOf(url: string): { address: string; options: object } {
  const { url: plain, socket } = readAddress(url)
  const { address, ssl } = tlsOf(withoutLibpq(plain))
  if (socket !== null) return { address, options: { host: socket, ssl: false } }
  return { address, options: { ...bracketedHost(plain), ...(ssl !== undefined && { ssl }) } }
}

/** `user@host:port/database` of an address, without secrets; a socket's host is its folder. */
export function placeOf(url: string): string {
  const { url: plain, socket } = readAddress(url)
  const parts = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::.*)?@)?([^/?#@]+)(\/[^?#]*)?/.exec(plain)
  const [, user, host = '', database] = parts ?? []
  if (!parts || !isReadable(plain)) throw new Error(NOT_AN_ADDRESS)
  const shown = socket === null ? host : host.replace('localhost', () => socket)
  return `${user ? `${user}@` : ''}${shown}${database ?? ''}`
}

const NOT_AN_ADDRESS =
  'DATABASE_URL is not a PostgreSQL address: write ' +
  'postgres://USER:PASSWORD@HOST:5432/DATABASE, ' +
  'with special characters in the password percent-encoded'

function readAddress(url: string): DatabaseAddress {
  const address = databaseAddress(url)
  if (!address) throw new Error(NOT_AN_ADDRESS)
  return address
}

/** Reports whether the driver can read an address; its own message would repeat a bad one. */
function isReadable(url: string): boolean {
  try {
    void postgres(withoutLibpq(url))
    return true
  } catch {
    return false
  }
}

/** Host and port of an IPv6 address in brackets, whose first colon misleads the driver. */
function bracketedHost(url: string): { host?: string[]; port?: number[] } {
  const [, host, port = POSTGRES_PORT] = /^[^?#]*[@/]\[([\da-f:.]+)\](?::(\d+))?/i.exec(url) ?? []
  return host ? { host: [host], port: [Number(port)] } : {}
}

const POSTGRES_PORT = '5432'

function withoutLibpq(url: string): string {
  const [address, query] = url.split('?')
  if (!query) return url
  const kept = query.split('&').filter((part) => !LIBPQ_ONLY.includes(part.split('=')[0] ?? ''))
  return kept.length > 0 ? `${address}?${kept.join('&')}` : (address ?? url)
}
