import { base64 } from '~/evidence/base64.ts'
import { checkpointOf } from '~/evidence/checkpoint.ts'
import { isSignedBy, type NoteKey, noteText } from '~/evidence/note.ts'
import { type Note, noteOf } from '~/evidence/note-text.ts'
import type { Log } from '~/log.ts'

/** A cosigner of checkpoints. https://c2sp.org/tlog-witness */
export type Witness = { readonly key: NoteKey; readonly url: string }

export type WitnessDeps = {
  readonly store: {
    /** The proof that the tree of one size is the beginning of that of another. */
    consistency(from: number, to: number): Promise<readonly Uint8Array[]>
    /** Replaces the note of a checkpoint by one with more signatures. */
    cosign(note: string, cosigned: string): Promise<void>
  }
  readonly witnesses: readonly Witness[]
  /** Sends a string; rejects without a response in time. */
  post(url: string, body: string): Promise<{ readonly status: number; readonly text: string }>
  /** The size of the last checkpoint that each witness cosigned, as far as it is known. */
  readonly known: Map<string, number>
  /** The number of checkpoints that each witness cosigned, and that it did not. */
  readonly counts: WitnessCounts
  readonly log: Log
}

export type WitnessCounts = Map<string, { signed: number; failed: number }>

const OK = 200
const CONFLICT = 409
const SIZE = /^(0|[1-9]\d{0,15})\n?$/

/**
 * A checkpoint with the signatures of the witnesses that it lacks. A witness that does not respond,
 * or returns another signature, is left out and logged.
 *
 * `isBehind` says that a witness knows a larger tree of the origin than this one.
 */
export async function cosigned(
  text: string,
  deps: WitnessDeps,
): Promise<{ readonly note: string; readonly isBehind: boolean }> {
  const note = noteOf(text)!
  const lacking = deps.witnesses.filter(({ key }) => isSignedBy(note, key) === null)
  const asked = await Promise.all(lacking.map((witness) => asking(note, witness, deps)))
  const signatures = asked.flatMap((one) => (typeof one === 'object' ? one.signatures : []))
  return {
    note: noteText({ ...note, signatures: [...note.signatures, ...signatures] }),
    isBehind: asked.includes('behind'),
  }
}

type Asked = Pick<Note, 'signatures'> | 'behind' | 'none'

async function asking(note: Note, witness: Witness, deps: WitnessDeps): Promise<Asked> {
  const { key, url } = witness
  const count = deps.counts.getOrInsert(key.name, { signed: 0, failed: 0 })
  try {
    const asked = await signatureOf(note, witness, deps)
    if (asked === 'behind') count.failed++
    else count.signed++
    return asked
  } catch (error) {
    count.failed++
    deps.log.warn({ witness: key.name, url, err: error }, 'a witness did not cosign the log')
    return 'none'
  }
}

async function signatureOf(note: Note, witness: Witness, deps: WitnessDeps) {
  const { key, url } = witness
  const { origin, size } = checkpointOf(note.text)!
  const name = `${key.name} ${origin}`
  const sent = async (from: number) => {
    const proof = await deps.store.consistency(from, size)
    const lines = [`old ${from}`, ...proof.map(base64), '', noteText(note)]
    return deps.post(`${url.replace(/\/+$/, '')}/add-checkpoint`, lines.join('\n'))
  }
  let answer = await sent(Math.min(size, deps.known.get(name) ?? 0))
  if (answer.status === CONFLICT) {
    const theirs = Number(SIZE.exec(answer.text)?.[1] ?? Number.NaN)
    if (theirs > size) return 'behind' as const
    if (Number.isNaN(theirs)) throw new Error('it returned 409 without its size')
    answer = await sent(theirs)
  }
  if (answer.status !== OK) throw new Error(`it returned ${answer.status}`)
  const signed = noteOf(`${note.text}\n${answer.text}`)
  const own = signed?.signatures.filter((line) => line.name === key.name) ?? []
  const signatures = own.filter((line) => isSignedBy({ ...note, signatures: [line] }, key))
  if (signatures.length === 0) throw new Error('it signed another tree, or with another key')
  deps.known.set(name, size)
  return { signatures }
}
