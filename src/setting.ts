import { currencyCode } from './domain/currency.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './domain/duration.ts'
import { RETENTION_YEARS_MAX } from './domain/observation.ts'
import { type NoteKey, noteKeyOf } from './evidence/note.ts'
import { COSIGNATURE_ED25519 } from './evidence/note-text.ts'
import { FEED_NAMES, type FeedName } from './feed/feeds.ts'
import { isCronPattern } from './jobs/schedule.ts'
import { databaseAddress } from './outbound/database-address.ts'
import { allowedPlaces } from './outbound/places.ts'
import { SOURCE_NAMES, type SourceName } from './source/sources.ts'

/** Parses the text of one setting, or throws what it accepts: `must be ...`. */
export type Reader<T> = (text: string) => T

export const MOVE_PERCENT_MAX = 1000

export const asText: Reader<string> = (text) => text

export const asToken: Reader<string> = (text) => {
  if (!/^[\x21-\x7e]{16,256}$/.test(text)) throw new Error('must have 16 to 256 visible characters')
  return text
}

export const asSecret: Reader<string> = (text) => {
  if (!/^[\x21-\x7e]{32,256}$/.test(text)) throw new Error('must have 32 to 256 visible characters')
  return text
}

export const asSmtpUrl: Reader<string> = (text) => {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL such as smtps://user:password@host:465')
  return text
}

const ADDRESS = '[^\\s\\p{Cc}<>@]+@[^\\s\\p{Cc}<>@]+'
const MAIL_FROM = new RegExp(`^(?:[^\\p{Cc}<>@]*<${ADDRESS}>|${ADDRESS})$`, 'u')

export const asMailFrom: Reader<string> = (text) => {
  if (!MAIL_FROM.test(text))
    throw new Error('must be an address such as Corridor <corridor@example.org>')
  return text
}

export const asFeedNames: Reader<readonly FeedName[]> = (text) =>
  text === 'none' ? [] : readOr('none', listOf(oneOf(FEED_NAMES)))(text)

export const asSourceNames: Reader<readonly SourceName[]> = (text) => {
  if (text === 'none') return []
  if (text === 'all') return SOURCE_NAMES
  return [...new Set(readOr('all, or none', listOf(oneOf(SOURCE_NAMES)))(text))]
}

const SOURCE_KEY = /^(\w+)=([\x21-\x2b\x2d-\x7e]{1,256})$/

/** Keys of sources that give out some, such as `bam=abc`. */
export const asSourceKeys: Reader<Readonly<Partial<Record<SourceName, string>>>> = (text) =>
  Object.fromEntries(
    listOf((part): [string, string] => {
      const [, name, key] = SOURCE_KEY.exec(part) ?? []
      if (name && key && SOURCE_NAMES.some((known) => known === name)) return [name, key]
      throw new Error('must list names of sources with their keys, such as bam=abc')
    })(text),
  )

export const emptyOr =
  (read: Reader<string>): Reader<string> =>
  (text) =>
    text === '' ? '' : read(text)

export const offOr =
  <T>(read: Reader<T>): Reader<T | null> =>
  (text) =>
    text === 'off' ? null : readOr('off', read)(text)

/** The reader, with a word that means no value. */
const readOr =
  <T>(word: string, read: Reader<T>): Reader<T> =>
  (text) => {
    try {
      return read(text)
    } catch (error) {
      throw new Error(`${(error as Error).message}, or ${word}`)
    }
  }

export const listOf =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (text) =>
    text.split(',').map((part) => read(part.trim()))

export const oneOf =
  <T extends string>(values: readonly T[]): Reader<T> =>
  (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }

export const integerBetween =
  (min: number, max: number): Reader<number> =>
  (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return value
  }

/** A plain decimal between two bounds, both included. */
export const numberBetween =
  (min: number, max: number): Reader<number> =>
  (text) => {
    const value = Number(text)
    if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max)
      throw new Error(`must be a number from ${min} to ${max}`)
    return value
  }

export const asShare: Reader<number> = (text) => {
  const value = Number(text)
  if (!/^\d*\.?\d+$/.test(text) || value > 1)
    throw new Error('must be a number from 0 to 1, such as 0.1')
  return value
}

export const asYears: Reader<number> = integerBetween(1, RETENTION_YEARS_MAX)

/** A percentage, read as a fraction. */
export const percentUpTo =
  (max: number): Reader<number> =>
  (text) => {
    const value = Number(text.slice(0, -1))
    if (!/^\d+(\.\d+)?%$/.test(text) || value <= 0 || value > max)
      throw new Error(`must be a percentage up to ${max}%, such as 20%`)
    return value / 100
  }

export const asCurrencyBound: Reader<[string, number]> = (text) => {
  const [name = '', bound = ''] = text.split('=')
  const code = currencyCode(name)
  if (code === null || !bound)
    throw new Error('must list currencies with a percentage, such as ZWG=60%')
  return [code, percentUpTo(MOVE_PERCENT_MAX)(bound.trim())]
}

const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

/** The milliseconds of a duration, or 0 for anything else. */
function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  return match ? Math.round(Number(match[1]) * DURATION_UNITS_MS[match[2]!]!) : 0
}

/** At most a century: a longer time ago is a year that PostgreSQL cannot read. */
export const asDurationMs: Reader<number> = (text) => {
  const ms = durationMs(text)
  if (ms <= 0 || ms > 36_500 * DAY_MS)
    throw new Error('must be a duration such as 90s, 30m, 72h or 7d, up to 36500d')
  return ms
}

const secondsUpTo =
  (max: number): Reader<number> =>
  (text) => {
    const ms = durationMs(text)
    if (ms <= 0 || ms % 1000 !== 0 || ms > max * 1000)
      throw new Error(`must be whole seconds, from 1s to ${max}s`)
    return ms
  }

/** A timeout in the server's own form: whole seconds in a byte. */
export const asTimeoutMs = secondsUpTo(255)

/** A delay that leaves the rest of the ten seconds for requests in flight. */
export const asShutdownDelayMs = secondsUpTo(2)

export const asCron: Reader<string> = (text) => {
  if (!isCronPattern(text)) throw new Error('must be a cron pattern such as "7 * * * *"')
  return text
}

const BUCKET = /^s3:\/\/[a-z\d][a-z\d.-]{1,61}[a-z\d](\/[^\s?#]*)?$/

/** A folder, or a bucket with a prefix. */
export const asBackupDir: Reader<string> = (text) => {
  if (/^[a-z\d+.-]+:\/\//i.test(text) && !BUCKET.test(text))
    throw new Error('must be a folder, or a bucket such as s3://backups/corridor')
  return text
}

const HOSTLESS_URL = /^postgres(?:ql)?:\/\/(?:[^/?#@]*@)?(?::\d*)?(?:[/?][^#]*)?$/

export const asPostgresUrl: Reader<string> = (text) => {
  const address = databaseAddress(text)
  if (address && (address.socket ?? new URL(address.url).host).includes(','))
    throw new Error('must name one host: for a failover, one that always leads to the primary')
  if (address) return text
  if (HOSTLESS_URL.test(text))
    throw new Error(
      'must name a host, as PGHOST is not read: write it before the database, or append ' +
        '?host=/run/postgresql for a Unix socket in that folder',
    )
  throw new Error(
    'must be a URL such as postgres://user:password@host:5432/database, ' +
      'or postgres:///database?host=/run/postgresql for a Unix socket',
  )
}

export const asHttpUrl: Reader<string> = (text) => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL that starts with http:// or https://')
  return text.replace(/\/+$/, '')
}

const HEADER = /^([!#$%&'*+.^`|~\w-]+)=([\x20-\x7e]*)$/

/** Headers whose values are percent-encoded, in the form of OpenTelemetry. */
export const asHeaders: Reader<Readonly<Record<string, string>>> = (text) =>
  Object.fromEntries(listOf(asHeader)(text))

const asHeader: Reader<[name: string, value: string]> = (text) => {
  const [, name, value] = HEADER.exec(text) ?? []
  try {
    if (name && value) return [name, decodeURIComponent(value)]
  } catch {}
  throw new Error('must list headers such as authorization=Bearer%20abc')
}

export const asOrigin: Reader<string> = (text) => {
  if (text === '*') return text
  const url = new URL(asHttpUrl(text))
  if (url.pathname !== '/' || isMoreThanPlace(url))
    throw new Error('must list origins such as https://example.com, without a path, or be *')
  return url.origin
}

/** An address that is shown to others and that paths are appended to. */
export const asPublicUrl: Reader<string> = (text) => {
  const url = new URL(asHttpUrl(text))
  if (isMoreThanPlace(url))
    throw new Error('must be a URL such as https://rates.example.org, without user, ? and #')
  if (!PLAIN_PATH.test(url.pathname))
    throw new Error('must have a plain path, such as https://example.org/rates, or none')
  return url.href.replace(/\/$/, '')
}

/** A path that needs no escaping in a header, a cookie or a page. */
const PLAIN_PATH = /^(\/|(\/[\w.~-]+)+)$/

const isMoreThanPlace = ({ username, password, search, hash }: URL): boolean =>
  [username, password, search, hash].some((part) => part !== '')

/** A host to listen on; an IPv6 address has brackets in a URL, but needs none here. */
export const asHost: Reader<string> = (text) => text.replace(/^\[(.*)\]$/, '$1')

export const asHostName: Reader<string> = (text) => {
  if (text !== '*' && !/^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i.test(text))
    throw new Error('must list host names such as api.example.com, without a port, or be *')
  return text.toLowerCase()
}

/** A place in a private network: a host's name, an address, or a network. */
export const asPlace: Reader<string> = (text) => {
  try {
    allowedPlaces([text])
  } catch {
    throw new Error('must list hosts such as hooks.internal, addresses or networks like 10.0.0.0/8')
  }
  return text
}

const SEED = /^[A-Za-z0-9+/]{43}=$/

/** One key of the verifiable log, or two during a rotation: the 32 bytes of each. */
export const asLogKeys: Reader<readonly Uint8Array[]> = (text) => {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > 2 || !parts.every((part) => SEED.test(part)))
    throw new Error('must be the base64 of 32 bytes (openssl rand -base64 32), or two such keys')
  return parts.map((part) => Buffer.from(part, 'base64'))
}

/** A witness: its verifier key and its URL, with a space between them. */
export const asWitness: Reader<{ key: NoteKey; url: string }> = (text) => {
  const [vkey = '', url = '', ...rest] = text.split(/\s+/)
  const key = noteKeyOf(vkey)
  if (
    key?.type !== COSIGNATURE_ED25519 ||
    !/^https?:\/\//.test(url) ||
    !URL.canParse(url) ||
    rest[0]
  )
    throw new Error('must list witnesses, each as its Ed25519 cosignature key and its URL')
  return { key, url }
}
