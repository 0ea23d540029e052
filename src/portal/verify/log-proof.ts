import { hex } from '../../evidence/base64.ts'
import { type Checkpoint, checkpointOf } from '../../evidence/checkpoint.ts'
import { ID_BYTES, NOTE_ED25519, type Note, noteOf } from '../../evidence/note-text.ts'
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
  if (!checkpoint) return unclear('This proof is incomplete', 'Paste all of it, every line.')
  const { extra, index, path } = proof
  if (!extra)
    return unclear(
      'This proof has no entry',
      'The service no longer has the entry that it is about, so there is nothing to compare.',
    )
  if (!(await isSignedByAny(note, checkpoint, known.keys)))
    return refuted(
      'This service did not sign this proof',
      `No key of this service signed the list named ${checkpoint.origin} in this form.`,
    )
  if (!(await isIncluded(checkpoint, { extra, index, path })))
    return refuted(
      'This entry is not in the log',
      'The service signed the list, but the entry in this proof does not lead to that list.',
    )
  return provedEntry(extra, { index, checkpoint, note, origin: known.origin })
}

async function isSignedByAny(
  { text, signatures }: Note,
  { origin }: Checkpoint,
  keys: readonly PublicKey[],
): Promise<boolean> {
  for (const key of keys) {
    const id = await keyIdOf(origin, key)
    const own = signatures.filter((line) => line.name === origin && line.id === id)
    for (const { signature } of own) if (await isSigned(key, signature, bytesOf(text))) return true
  }
  return false
}

/** The id of a key for a log of that name. https://c2sp.org/signed-note */
async function keyIdOf(origin: string, { x }: PublicKey): Promise<string> {
  const bytes = atob(x.replaceAll('-', '+').replaceAll('_', '/'))
  const key = Uint8Array.from(bytes, (sign) => sign.charCodeAt(0))
  const hash = await sha256(joined(bytesOf(`${origin}\n`), Uint8Array.of(NOTE_ED25519), key))
  return hex(hash.subarray(0, ID_BYTES))
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
  readonly origin: string | null
}

function provedEntry(extra: Uint8Array, { index, checkpoint, note, origin }: Place): Finding {
  const others = note.signatures.filter(({ name }) => name !== checkpoint.origin)
  const witnesses = [...new Set(others.map(({ name }) => name))].join(', ')
  return {
    verdict: 'proved',
    title: 'This entry is in the log, unchanged',
    entry: entryText(extra),
    shows: [
      `The entry below is number ${index + 1} of the ${checkpoint.size} in the public list named ` +
        `${checkpoint.origin}, and this service signed that list.`,
      'Changing, removing or moving any entry would change the whole list. So the service cannot ' +
        'deny this entry or change it without breaking what it signed.',
      ...(origin === null || origin === checkpoint.origin
        ? []
        : [`The service now continues its log under another name: ${origin}.`]),
    ],
    limits: [
      'It does not show that the price was right, only that the service recorded it.',
      'It does not show that everybody was given the same list. For that, compare the list with ' +
        'what others have seen of it.' +
        (witnesses && ` It names signatures of ${witnesses}, which this page does not check.`),
    ],
  }
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
