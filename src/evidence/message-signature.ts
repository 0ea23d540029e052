import { hash } from 'node:crypto'
import {
  type BareItem,
  isInnerList,
  type Parameters,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers'

/** Components that a signature covers, in its order; `req` marks those of the request. */
const COVERED: readonly (readonly [name: string, isOfRequest: boolean])[] = [
  ['@method', true],
  ['@target-uri', true],
  ['@status', false],
  ['content-digest', false],
  ['date', false],
]

const SIGNATURE_ALGORITHM = 'ed25519'

/** The maximum number of signatures that may be requested at once. */
const LABELS_MAX = 4
const HEADER_LENGTH_MAX = 2048
const TEXT_LENGTH_MAX = 256

/** A requested signature, by its label, with the parameters that it should repeat. */
export type SignatureWish = {
  readonly label: string
  readonly nonce: string | null
  readonly tag: string | null
  readonly keyId: string | null
}

/**
 * The signatures that the value of Accept-Signature requests.
 * https://www.rfc-editor.org/rfc/rfc9421#section-5.1
 *
 * Throws an Error whose message says what is wrong with it.
 */
export function signatureWishes(value: string): SignatureWish[] {
  if (value.length > HEADER_LENGTH_MAX) throw new Error(`it is longer than ${HEADER_LENGTH_MAX}`)
  const members = [...parsed(value)]
  if (members.length === 0) throw new Error('it names no signature')
  if (members.length > LABELS_MAX)
    throw new Error(`it requests ${members.length} signatures; at most ${LABELS_MAX} are possible`)
  return members.map(([label, member]) => {
    if (!isInnerList(member)) throw new Error(`${label} is not a list of components`)
    const [items, parameters] = member
    for (const [name, own] of items) assertCovered(name, own)
    const algorithm = textOf(parameters, 'alg')
    if (algorithm !== null && algorithm !== SIGNATURE_ALGORITHM)
      throw new Error(`${label} requests another algorithm than ${SIGNATURE_ALGORITHM}`)
    if (parameters.has('expires'))
      throw new Error(`${label} requests expires; signatures are valid without end`)
    const [nonce, tag] = [textOf(parameters, 'nonce'), textOf(parameters, 'tag')]
    return { label, nonce, tag, keyId: textOf(parameters, 'keyid') }
  })
}

function parsed(value: string) {
  try {
    return parseDictionary(value)
  } catch {
    throw new Error('it is not a dictionary, such as sig=("@status" "content-digest")')
  }
}

function assertCovered(name: BareItem, parameters: Parameters): void {
  const isOfRequest = parameters.get('req') === true
  const isKnown = COVERED.some(([known, ofRequest]) => known === name && ofRequest === isOfRequest)
  const others = [...parameters.keys()].filter((key) => key !== 'req')
  if (isKnown && others.length === 0) return
  const known = COVERED.map(([one, ofRequest]) => `"${one}"${ofRequest ? ';req' : ''}`)
  throw new Error(`it requests ${String(name)}; signatures cover ${known.join(' ')}`)
}

/** A parameter that is a string; null without it. */
function textOf(parameters: Parameters, name: string): string | null {
  const value = parameters.get(name)
  if (value === undefined) return null
  if (typeof value === 'string' && value.length <= TEXT_LENGTH_MAX) return value
  throw new Error(`${name} is not a text of at most ${TEXT_LENGTH_MAX} characters`)
}

/** The value of Content-Digest. https://www.rfc-editor.org/rfc/rfc9530 */
export const contentDigest = (body: Uint8Array): string =>
  `sha-256=:${hash('sha256', body, 'base64')}:`

type Message = {
  readonly method: string
  readonly targetUri: string
  readonly status: number
  readonly contentDigest: string
  readonly date: string
}

type Signed = {
  readonly wish: SignatureWish
  readonly keyId: string
  readonly createdMs: number
  /** The number of leaves that the log had; null before its first checkpoint. */
  readonly logSize: number | null
}

export function signatureBase(message: Message, { wish, keyId, createdMs, logSize }: Signed) {
  const parameters = new Map<string, BareItem>([
    ['created', Math.floor(createdMs / 1000)],
    ['keyid', keyId],
    ['alg', SIGNATURE_ALGORITHM],
  ])
  if (wish.nonce !== null) parameters.set('nonce', wish.nonce)
  if (wish.tag !== null) parameters.set('tag', wish.tag)
  if (logSize !== null) parameters.set('log-size', logSize)
  const items = COVERED.map(([name, isOfRequest]): [string, Parameters] => [
    name,
    new Map(isOfRequest ? [['req', true]] : []),
  ])
  const list: [typeof items, Parameters] = [items, parameters]
  const { method, targetUri, status, date } = message
  const values = [method, targetUri, String(status), message.contentDigest, date]
  const lines = COVERED.map(
    ([name, isOfRequest], i) => `"${name}"${isOfRequest ? ';req' : ''}: ${values[i]}`,
  )
  const base = [...lines, `"@signature-params": ${serializeInnerList(list)}`].join('\n')
  return { base, input: serializeDictionary(new Map([[wish.label, list]])) }
}

export const signatureValue = (label: string, signature: Uint8Array): string =>
  `${label}=:${Buffer.from(signature).toString('base64')}:`
