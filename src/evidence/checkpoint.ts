import { base64, base64Bytes } from './base64.ts'
import { noteOf } from './note-text.ts'
import { HASH_BYTES, type Tree } from './span.ts'

/** The head of a log of an origin. https://c2sp.org/tlog-checkpoint */
export type Checkpoint = Tree & { readonly origin: string }

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${base64(root)}\n`

/** The checkpoint in the text of a note; null if there is none. */
export function checkpointOf(text: string): Checkpoint | null {
  const [origin, size, root, ...rest] = text.split('\n')
  if (!origin || rest.length === 0 || !/^(0|[1-9]\d{0,15})$/.test(size ?? '')) return null
  const bytes = base64Bytes(root!)
  if (bytes?.length !== HASH_BYTES) return null
  return { origin, size: Number(size), root: bytes }
}

/** The checkpoint in a signed note; null for a string that is not one. */
export function checkpointIn(text: string | null): Checkpoint | null {
  const note = text === null ? null : noteOf(text)
  return note && checkpointOf(note.text)
}

/** The input of one pass that seals. */
export type SealPass = {
  /** The most leaves of a pass. */
  readonly leavesMax: number
  readonly nowMs: number
  /** The name of a log that has none yet. */
  readonly origin: string
  /** The newest checkpoint that this process knows to be public; null for none. */
  readonly published: Checkpoint | null
  /** Says whether a witness knows a larger tree of this origin. */
  readonly isBehind: boolean
  /** Ends the pass early, with the leaves taken so far. */
  readonly ending: AbortSignal
  /** The note of a checkpoint's text. */
  signed(text: string, origin: string): Promise<string>
}

/** The result of a pass. */
export type Sealed = {
  /** The number of leaves that the pass added. */
  readonly added: number
  /** Says whether there may be more to seal at once. */
  readonly isMore: boolean
  /** The abandoned origin, if the database lacks leaves published under it; else null. */
  readonly abandoned: string | null
}
