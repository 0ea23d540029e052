import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DAY_MS } from './duration.ts'

/** `crd_`, or `crr_` for a read-only key, + 32 random base62 characters + 6 of a checksum. */
export const KEY_PATTERN = /^cr[dr]_[0-9A-Za-z]{38}$/

const PREFIX = 'crd_'
/** Prefix of read-only keys; as long as that of the others. */
export const READ_ONLY_PREFIX = 'crr_'
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const MARK_LENGTH = 10
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Bytes from this value on would favour the first characters of the alphabet. */
const BYTE_FAIR_MAX = 256 - (256 % ALPHABET.length)

/** A key as a string, which is shown once, and the stored form of it. */
export type NewKeyText = {
  readonly key: string
  readonly hash: string
  readonly lastFour: string
}

type RandomBytes = (count: number) => Uint8Array

/** A key from a source of random bytes, each character equally likely. */
export const newApiKey = (randomBytes: RandomBytes, isReadOnly = false): string =>
  (isReadOnly ? READ_ONLY_PREFIX : PREFIX) + newSecret(randomBytes)

/** Random part of a key or a token, with its checksum. */
export function newSecret(randomBytes: RandomBytes): string {
  const secret = randomText(SECRET_LENGTH, randomBytes)
  return secret + checksumOf(secret)
}

/**
 * A secret in the form of any other, whose last ten characters are a mark: only a holder of
 * `signingSecret` can create it, and `isMarked` detects a forged one without the database. The 22
 * random characters before it have 130 bits, the mark has 59.
 */
export function newMarkedSecret(randomBytes: RandomBytes, signingSecret: string): string {
  const random = randomText(SECRET_LENGTH - MARK_LENGTH, randomBytes)
  const secret = random + markOf(random, signingSecret)
  return secret + checksumOf(secret)
}

/** Reports whether the secret part of a token was made with `signingSecret`. */
export function isMarked(secret: string, signingSecret: string): boolean {
  const at = SECRET_LENGTH - MARK_LENGTH
  const mark = Buffer.from(secret.slice(at, SECRET_LENGTH))
  const expected = Buffer.from(markOf(secret.slice(0, at), signingSecret))
  return mark.length === expected.length && timingSafeEqual(mark, expected)
}

function markOf(random: string, signingSecret: string): string {
  const digest = createHmac('sha256', signingSecret).update(`corridor token ${random}`).digest()
  return base62(digest.readBigUInt64BE(), MARK_LENGTH)
}

function randomText(length: number, randomBytes: RandomBytes): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length))
      if (byte < BYTE_FAIR_MAX && text.length < length) text += ALPHABET[byte % ALPHABET.length]
  return text
}

/** Reports whether a string has the form of our keys: others are refused without a look-up. */
export function isWellFormedKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false
  const secretEnd = PREFIX.length + SECRET_LENGTH
  return checksumOf(text.slice(PREFIX.length, secretEnd)) === text.slice(secretEnd)
}

const LAST_FOUR = 4

/** The end of a key, a part of its checksum, which is stored so that people can tell keys apart. */
export const lastFourOf = (key: string): string => key.slice(-LAST_FOUR)

type Marked = {
  readonly lastFour: string | null
  readonly hash?: string
  readonly dailyBudget?: number | null | undefined
}

/** A key as people see it after its creation: its beginning and its end, as far as known. */
export function keyMark({ lastFour, hash = '', dailyBudget = null }: Marked): string {
  if (isConnection({ hash })) return 'a connected application'
  return `${dailyBudget === null ? PREFIX : READ_ONLY_PREFIX}\u2026${lastFour ?? ''}`
}

/** Prefix of the access tokens of connected applications; they have the form of keys. */
export const ACCESS_TOKEN_PREFIX = 'crt_'
/** Prefix of refresh tokens; keys are not accepted in their place. */
export const REFRESH_TOKEN_PREFIX = 'crr_'

export const isAccessToken = (text: string): boolean => text.startsWith(ACCESS_TOKEN_PREFIX)

/** The secret part of a token, or null if it is mistyped. */
export function tokenSecret(text: string, prefix: string): string | null {
  const secret = text.slice(prefix.length)
  return text.startsWith(prefix) && isWellFormedKey(PREFIX + secret) ? secret : null
}

/**
 * The hash of a key that is not a string, which represents an application that a person connected.
 * No string hashes to it, since it is not in hex.
 */
export const connectionHash = (randomBytes: RandomBytes): string =>
  CONNECTION + Buffer.from(randomBytes(CONNECTION_BYTES)).toString('hex')

/** Reports whether a key represents an application that a person connected. */
export const isConnection = ({ hash }: { readonly hash: string }): boolean =>
  hash.startsWith(CONNECTION)

const CONNECTION = 'connection:-'
const CONNECTION_BYTES = 26

/** The time for which a person's consent to an application holds, whatever it renews. */
export const CONSENT_DAYS = 180

/** The time when a person who allowed an application at `consentedMs` has to be asked again. */
export const consentEndMs = (consentedMs: number): number => consentedMs + CONSENT_DAYS * DAY_MS

/** Stored form of a key: its SHA-256, in hex. */
export const keyHashOf = (key: string): string => createHash('sha256').update(key).digest('hex')

const checksumOf = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH)

/** The last `length` digits of a number, in the alphabet of keys. */
function base62(number: bigint, length: number): string {
  const base = BigInt(ALPHABET.length)
  let [rest, text] = [number, '']
  for (; text.length < length; rest /= base) text = ALPHABET[Number(rest % base)] + text
  return text
}
