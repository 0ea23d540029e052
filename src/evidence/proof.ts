import { base64, base64Bytes } from './base64.ts'
import { HASH_BYTES } from './span.ts'

/** A proof that can be verified offline. https://c2sp.org/tlog-proof */
type Proof = {
  /** Extra content of the proof: here the entry itself. */
  readonly extra: Uint8Array | null
  readonly index: number
  /** The hashes from the sibling of the leaf up to the child of the root. */
  readonly path: readonly Uint8Array[]
  readonly checkpoint: string
}

const TITLE = 'c2sp.org/tlog-proof@v1'

export const proofText = ({ extra, index, path, checkpoint }: Proof): string =>
  [
    TITLE,
    ...(extra ? [`extra ${base64(extra)}`] : []),
    `index ${index}`,
    ...path.map(base64),
    '',
    checkpoint,
  ].join('\n')

const HEAD = /^c2sp\.org\/tlog-proof@v1\n(?:extra (\S*)\n)?index (0|[1-9]\d{0,15})\n((?:\S+\n)*)\n/

/** The proof in a string; null if it is not one. */
export function proofOf(text: string): Proof | null {
  const [head, extra, index, lines] = HEAD.exec(text) ?? []
  if (head === undefined) return null
  const path = lines!.split('\n').slice(0, -1).map(base64Bytes)
  if (path.some((hash) => hash?.length !== HASH_BYTES)) return null
  return {
    extra: extra === undefined ? null : base64Bytes(extra),
    index: Number(index),
    path: path as Uint8Array[],
    checkpoint: text.slice(head.length),
  }
}
