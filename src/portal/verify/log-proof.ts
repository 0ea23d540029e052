import { hex } from '../../evidence/base64.ts'
import { type Checkpoint, checkpointOf } from '../../evidence/checkpoint.ts'
import {
  COSIGNATURE_ED25519,
  cosignatureOf,
  cosigned,
  ID_BYTES,
  NOTE_ED25519,
  type Note,
  noteOf,
} from '../../evidence/note-text.ts'
import { proofOf } from '../../evidence/proof.ts'
import { inclusionSpans, isEqual } from '../../evidence/span.ts'
import {
  bytesOf,
  type Finding,
  isSigned,
  joined,
  type Known,
  type PublicKey,
  refuted,
  sha256,
  unclear,
  type WitnessKey,
} from './finding.ts'

/** The beginning of a proof, wherever it is in a text. */
export const PROOF_TITLE = 'c2sp.org/tlog-proof@v1'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** Checks a proof of `/api/v1/proofs`, and explains the outcome. */
export async function proofFinding(pasted: string, known: Known): Promise<Finding> {
  const start = pasted.indexOf(PROOF_TITLE)
  const proof = proofOf(`${pasted.slice(start).replaceAll('\r\n', '\n').trimEnd()}\n`)
  const note = proof && noteOf(proof.checkpoint)
  const checkpoint = note && checkpointOf(note.text)
  if (!checkpoint) return unclear(known, 'incomplete')
  const { extra, index, path } = proof
  if (!extra) return unclear(known, 'no-entry')
  if (!(await isSignedByAny(note, checkpoint, known.keys)))
    return refuted(known, 'proof-unsigned', { log: checkpoint.origin })
  if (!(await isIncluded(checkpoint, { extra, index, path }))) return refuted(known, 'not-in-log')
  const lines = await witnessLinesOf(note, known)
  const forged = lines.find(({ isValid }) => !isValid)
  if (forged) return refuted(known, 'witness', { witness: forged.name })
  return provedEntry(extra, { index, checkpoint, note, lines, known })
}

async function isSignedByAny(
  { text, signatures }: Note,
  { origin }: Checkpoint,
  keys: readonly PublicKey[],
): Promise<boolean> {
  for (const key of keys) {
    const id = await keyIdOf({ name: origin, type: NOTE_ED25519, x: key.x })
    const own = signatures.filter((line) => line.name === origin && line.id === id)
    for (const { signature } of own) if (await isSigned(key, signature, bytesOf(text))) return true
  }
  return false
}

/** The id of a key for signatures of that name and kind. https://c2sp.org/signed-note */
async function keyIdOf({ name, type, x }: WitnessKey & { readonly type: number }): Promise<string> {
  const bytes = atob(x.replaceAll('-', '+').replaceAll('_', '/'))
  const key = Uint8Array.from(bytes, (sign) => sign.charCodeAt(0))
  const hash = await sha256(joined(bytesOf(`${name}\n`), Uint8Array.of(type), key))
  return hex(hash.subarray(0, ID_BYTES))
}

/** A signature of a witness whose key the service publishes. */
type WitnessLine = {
  readonly name: string
  readonly isValid: boolean
  /** The time that the witness signed, in seconds. */
  readonly seconds: bigint
}

/** The signatures of the witnesses known. https://c2sp.org/tlog-cosignature */
async function witnessLinesOf({ text, signatures }: Note, { witnesses }: Known) {
  const lines: WitnessLine[] = []
  for (const { name, x } of witnesses) {
    const id = await keyIdOf({ name, type: COSIGNATURE_ED25519, x })
    for (const line of signatures.filter((one) => one.name === name && one.id === id)) {
      const parts = cosignatureOf(line.signature)
      const seconds = parts?.seconds ?? 0n
      const signed = bytesOf(cosigned(text, seconds))
      const isValid = parts !== null && (await isSigned({ x }, parts.signature, signed))
      lines.push({ name, isValid, seconds })
    }
  }
  return lines
}

type Inclusion = {
  readonly extra: Uint8Array
  readonly index: number
  readonly path: readonly Uint8Array[]
}

async function isIncluded({ size, root }: Checkpoint, { extra, index, path }: Inclusion) {
  const spans = index < size ? inclusionSpans(index, size) : null
  if (spans?.length !== path.length) return false
  let reached = await sha256(joined(LEAF, extra))
  for (const [i, { start }] of spans.entries()) {
    const pair = start > index ? [reached, path[i]!] : [path[i]!, reached]
    reached = await sha256(joined(NODE, ...pair))
  }
  return isEqual(reached, root)
}

type Place = {
  readonly index: number
  readonly checkpoint: Checkpoint
  readonly note: Note
  readonly lines: readonly WitnessLine[]
  readonly known: Known
}

function provedEntry(extra: Uint8Array, place: Place): Finding {
  const { index, checkpoint, known } = place
  const { say, origin } = known
  const { origin: log, size } = checkpoint
  return {
    verdict: 'proved',
    title: say('verify-finding.in-log'),
    entry: entryText(extra),
    shows: [
      say('verify-finding.in-log-at', { index: index + 1, size, log }),
      say('verify-finding.in-log-so'),
      ...(origin === null || origin === log
        ? []
        : [say('verify-finding.renamed', { log: origin })]),
      ...witnessedBy(place),
    ],
    limits: [say('verify-finding.limit-price'), ...listLimits(place)],
  }
}

const witnessedBy = ({ lines, known: { say, timeText } }: Place): string[] =>
  lines.map(({ name, seconds }) =>
    say('verify-finding.witnessed', {
      witness: name,
      time: timeText(Number(seconds) * 1000, String(seconds)),
    }),
  )

function listLimits({ checkpoint, note, lines, known: { say } }: Place): string[] {
  const checked = new Set([checkpoint.origin, ...lines.map(({ name }) => name)])
  const others = note.signatures.map(({ name }) => name).filter((name) => !checked.has(name))
  const names = [...new Set(others)].join(', ')
  return [
    say('verify-finding.limit-list'),
    ...(lines.length > 0 ? [say('verify-finding.limit-witnesses')] : []),
    ...(names === '' ? [] : [say('verify-finding.limit-others', { names })]),
  ]
}

/** An entry as text for people, without the random salt that protects its hash. */
function entryText(extra: Uint8Array): string {
  const text = new TextDecoder().decode(extra)
  try {
    const { salt: _, ...said } = JSON.parse(text)
    return JSON.stringify(said, null, 2)
  } catch {
    return text
  }
}
