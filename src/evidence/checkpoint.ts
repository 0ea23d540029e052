import { base64, base64Bytes } from './base64.ts'
import { HASH_BYTES, type Tree } from './span.ts'

/** The head of a log of an origin. https://c2sp.org/tlog-checkpoint */
export type Checkpoint = Tree & { readonly origin: string }

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${base64(root)}\n`

/** The checkpoint in the text of a note; null if it is none. */
export function checkpointOf(text: string): Checkpoint | null {
  const [origin, size, root, ...rest] = text.split('\n')
  if (!origin || rest.length === 0 || !/^(0|[1-9]\d{0,15})$/.test(size ?? '')) return null
  const bytes = base64Bytes(root!)
  if (bytes?.length !== HASH_BYTES) return null
  return { origin, size: Number(size), root: bytes }
}
