import {
  type BareItem,
  type InnerList,
  isInnerList,
  type Parameters,
  parseDictionary,
  serializeInnerList,
} from 'structured-headers'
import { isEqual } from '../../evidence/span.ts'
import type { Answer } from './answer.ts'
import { bytesOf, type Finding, isSigned, type Known, refuted, sha256, unclear } from './finding.ts'

/** Components that a signature has to cover to count; `req` marks those of the request. */
const NEEDED = ['@method;req', '@target-uri;req', '@status', 'content-digest', 'date']

type Signature = { readonly list: InnerList; readonly value: Uint8Array }

/** Checks a signed response to a request that was sent to `url`, and explains the outcome. */
export async function answerFinding(answer: Answer, url: string, known: Known): Promise<Finding> {
  const signatures = signaturesIn(answer)
  if (!signatures) return unclear(known, 'unsigned')
  if (!URL.canParse(url)) return unclear(known, 'no-address')
  if (!(await isBodyWhole(answer))) return refuted(known, 'content')
  for (const signature of signatures) {
    const fault = await faultOf(signature, { answer, url, known })
    if (fault) return fault
  }
  return provedAnswer({ answer, url, known }, signatures[0]!.list[1])
}

/** The signatures of a response; null if there is none that can be read. */
function signaturesIn({ headers }: Answer): Signature[] | null {
  try {
    const values = parseDictionary(headers.get('signature') ?? '')
    const inputs = [...parseDictionary(headers.get('signature-input') ?? '')]
    const found = inputs.map(([label, list]) => {
      const [value] = values.get(label) ?? []
      if (!isInnerList(list) || !(value instanceof ArrayBuffer)) throw new Error(label)
      return { list, value: new Uint8Array(value) }
    })
    return found.length > 0 && headers.has('content-digest') ? found : null
  } catch {
    return null
  }
}

/** Reports whether the content is that of its digest, whatever pasting did to the ends of lines. */
async function isBodyWhole({ headers, body }: Answer): Promise<boolean> {
  const [, digest] = /sha-256=:([A-Za-z0-9+/=]+):/.exec(headers.get('content-digest')!) ?? []
  if (digest === undefined) return false
  const expected = Uint8Array.from(atob(digest), (sign) => sign.charCodeAt(0))
  if (isEqual(await sha256(body), expected)) return true
  const text = new TextDecoder().decode(body)
  const trimmed = text.trimEnd()
  const pasted = [trimmed, `${trimmed}\n`, `${trimmed.replaceAll('\n', '\r\n')}\r\n`]
  for (const one of pasted) if (isEqual(await sha256(bytesOf(one)), expected)) return true
  return false
}

type Context = { readonly answer: Answer; readonly url: string; readonly known: Known }

/** Explains why a signature does not count; null if it does. */
async function faultOf({ list, value }: Signature, { answer, url, known }: Context) {
  const covered = list[0].map(nameOf)
  const lacking = NEEDED.filter((name) => !covered.includes(name))
  if (lacking.length > 0) return refuted(known, 'uncovered', { names: lacking.join(', ') })
  const keyId = list[1].get('keyid')
  const key = known.keys.find(({ kid }) => kid === keyId)
  if (!key) return refuted(known, 'key', { key: String(keyId) })
  for (const target of new Set([url, new URL(url).href]))
    if (await isSigned(key, value, bytesOf(baseOf(list, answer, target)))) return null
  return refuted(known, 'signature')
}

const nameOf = ([name, parameters]: [BareItem, Parameters]): string =>
  `${String(name)}${parameters.get('req') === true ? ';req' : ''}`

/** The string that was signed. https://www.rfc-editor.org/rfc/rfc9421#section-2.5 */
function baseOf(list: InnerList, { status, headers }: Answer, url: string): string {
  const derived = new Map([
    ['@method;req', 'GET'],
    ['@target-uri;req', url],
    ['@status', String(status)],
  ])
  const lines = list[0].map((item) => {
    const name = nameOf(item)
    const quoted = name.endsWith(';req') ? `"${name.slice(0, -4)}";req` : `"${name}"`
    return `${quoted}: ${derived.get(name) ?? headers.get(name) ?? ''}`
  })
  return [...lines, `"@signature-params": ${serializeInnerList(list)}`].join('\n')
}

function provedAnswer({ answer, url, known }: Context, parameters: Parameters): Finding {
  const { status, headers } = answer
  const { say, timeText } = known
  const date = headers.get('date') ?? ''
  const size = parameters.get('log-size')
  return {
    verdict: 'proved',
    title: say('verify-finding.genuine'),
    shows: [
      say('verify-finding.genuine-at', { url, time: timeText(Date.parse(date), date), status }),
      say('verify-finding.genuine-so'),
      ...(typeof size === 'number' ? [say('verify-finding.log-size', { size })] : []),
    ],
    limits: [say('verify-finding.limit-prices'), say('verify-finding.limit-sent')],
  }
}
