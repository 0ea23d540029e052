import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { readText } from '~/command/file.ts'
import { CommandFailure } from '~/command/terminal.ts'
import { entriesOf } from '~/evidence/bundle.ts'
import { checkTree, hashesOf } from '~/evidence/check.ts'
import { type Checkpoint, checkpointOf } from '~/evidence/checkpoint.ts'
import { isSignedBy, type NoteKey } from '~/evidence/note.ts'
import { noteOf } from '~/evidence/note-text.ts'
import { consistencySpans, HASH_BYTES, isEqual } from '~/evidence/span.ts'
import { TILE_WIDTH, type TileName, tilePath, tileReader } from '~/evidence/tile.ts'
import { isConsistent, leafHash, spanHash } from '~/evidence/tree.ts'

const MS_MAX = 10_000
const NOT_FOUND = 404
/** The most of a checkpoint; one with many signatures has a few thousand bytes. */
const CHECKPOINT_BYTES_MAX = 65_536

type Remote = { readonly url: URL; readonly key: NoteKey; readonly checkpoint?: string }

/**
 * Verifies a log by its public files: the signature, all tiles, the entries that are public by now,
 * and that an earlier checkpoint is the beginning of the present one, which replaces it in the
 * file if all is well. Without a file the earlier one is fetched at the start.
 */
export async function verifyRemote(
  { url, key, checkpoint: file }: Remote,
  report: (fault: string) => void,
) {
  let isSound = true
  const onFault = (fault: string) => {
    isSound = false
    report(fault)
  }
  const base = `${url.href.replace(/\/+$/, '').replace(/\/log$/, '')}/log/`
  const earlier = file && existsSync(file) ? await readText(file, CHECKPOINT_BYTES_MAX) : null
  const first = earlier ?? (await textAt(`${base}checkpoint`))
  const from = signedCheckpoint(first, key, earlier ? file : 'the log')
  const text = earlier ? await textAt(`${base}checkpoint`) : first
  const tree = signedCheckpoint(text, key)
  let missing: number | null = null
  let entries = 0
  await checkTree(tree, tilesAt(base), onFault, async (index, tile) => {
    const hashes = hashesOf(tile)
    const name = { level: 'entries', index, width: hashes.length } as const
    const bundle = await tileAt(base, name)
    const early = { ...name, index: missing ?? 0, width: TILE_WIDTH }
    // It may have become public meanwhile, at the top of the hour.
    if (bundle && missing !== null && !(await tileAt(base, early)))
      onFault(`the bundle of entries ${missing} is missing`)
    missing = bundle ? null : (missing ?? index)
    const own = (bundle && entriesOf(bundle)) ?? []
    if (bundle && own.length < hashes.length) onFault(`the bundle of entries ${index} is not whole`)
    for (const [i, entry] of own.slice(0, hashes.length).entries()) {
      entries++
      if (!isEqual(leafHash(entry), hashes[i]!))
        onFault(`entry ${index * TILE_WIDTH + i} does not match its leaf`)
    }
  })
  const last = earlier ? tree : signedCheckpoint(await textAt(`${base}checkpoint`), key)
  if (!(await areConsistent(from, last, base)))
    onFault(`the tree of ${from.size} leaves is not the beginning of that of ${last.size}`)
  if (file && isSound) await writeFile(file, text)
  const { size } = tree
  const lines = [
    `${size} leaves lead to the signed root; ${entries} entries match their leaves`,
    `the tree of ${from.size} leaves is the beginning of that of ${last.size}`,
  ]
  return { leaves: size, lines }
}

async function areConsistent(from: Checkpoint, to: Checkpoint, base: string): Promise<boolean> {
  if (from.size > to.size) return false
  const tileOf = tilesAt(base)
  const read = tileReader(to.size, async (level, index, width) => {
    const tile = await tileOf(level, index, width)
    if (tile) return tile
    throw new CommandFailure(`${base}${tilePath({ level, index, width })} is missing`)
  })
  const spans = consistencySpans(from.size, to.size)
  return isConsistent(from, to, await Promise.all(spans.map((span) => spanHash(span, read))))
}

/** Reads tiles that are at least `width` wide, cut to it; null for none. */
const tilesAt = (base: string) => async (level: number, index: number, width: number) => {
  const bytes = await tileAt(base, { level, index, width })
  return bytes && bytes.length >= width * HASH_BYTES ? bytes.subarray(0, width * HASH_BYTES) : null
}

/** Reads a tile or a bundle, or the full one, which a log may keep alone; null for neither. */
const tileAt = async (base: string, name: TileName) =>
  (await bytesAt(base + tilePath(name))) ??
  (name.width < TILE_WIDTH ? bytesAt(base + tilePath({ ...name, width: TILE_WIDTH })) : null)

function signedCheckpoint(text: string, key: NoteKey, source = 'the log'): Checkpoint {
  const note = noteOf(text)
  const checkpoint = note && checkpointOf(note.text)
  if (!checkpoint) throw new CommandFailure(`${source} has no checkpoint`)
  const isSigned = isSignedBy(note, key)
  if (isSigned && checkpoint.origin === key.name) return checkpoint
  const who = `the checkpoint of ${checkpoint.origin}`
  throw new CommandFailure(
    isSigned === null || isSigned
      ? `${who} is not signed by that key: compare it with \`corridor log key\` of its operator`
      : `${who} has a signature that does not fit`,
  )
}

async function textAt(url: string): Promise<string> {
  const bytes = await bytesAt(url)
  if (bytes) return Buffer.from(bytes).toString()
  throw new CommandFailure(`${url} does not exist: is it the address of a service with a log?`)
}

/** Returns the bytes at an address; null if there are none. */
async function bytesAt(url: string): Promise<Uint8Array | null> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(MS_MAX) }).catch(({ message }) => {
    throw new CommandFailure(`${url} cannot be reached: ${message}`)
  })
  if (answer.status === NOT_FOUND) return null
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
  throw new CommandFailure(`${url} answered ${answer.status}`)
}
