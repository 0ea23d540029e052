import { HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { hourStartMs, type Tier } from '~/domain/freshness.ts'

import { checkpointIn } from '~/evidence/checkpoint.ts'
import { proofText } from '~/evidence/proof.ts'
import { tileNameOf, widthIn } from '~/evidence/tile.ts'

/** Rows for which a proof can be requested. */
type Provable = { readonly kind: LeafKind; readonly id: number }

type LeafKind = 'observation' | 'withdrawal' | 'reference' | 'catalogue'

/** A row, or the newest change of an entry of the catalogue by its code, id or path. */
export type ProofAsk =
  | { readonly kind: Exclude<LeafKind, 'catalogue'>; readonly id: number }
  | { readonly kind: 'catalogue'; readonly name: string }

export type LogReader = {
  /** The newest checkpoint, signed; null before the first. */
  head(): Promise<{ readonly note: string } | null>
  /** The number of leaves that had been sealed at a time. */
  sizeAt(ms: number): Promise<number>
  /** A tile of hashes; null if it is shorter or missing. */
  tile(level: number, index: number, width: number): Promise<Uint8Array | null>
  /** A bundle of entries; null if one is missing. */
  entries(index: number, width: number): Promise<Uint8Array | null>
  /** The place of a row among the leaves; null if it is not sealed. */
  indexOf(kind: Provable['kind'], id: number): Promise<number | null>
  /** Reports whether there is such a row, sealed or not. */
  has(kind: Provable['kind'], id: number): Promise<boolean>
  /** The number of the newest change of an entry of the catalogue; null without such an entry. */
  lastChange(name: string): Promise<number | null>
  /** The entry at a place; null if its row was pruned. */
  entryAt(index: number): Promise<Uint8Array | null>
  /** The hashes that prove that a leaf is in the tree of a size. */
  inclusion(index: number, size: number): Promise<readonly Uint8Array[]>
  /** The time when what is new now will be sealed; null if nothing is. */
  nextMs(): number | null
}

/** The newest checkpoint. Throws a 404 before the first. */
export async function logHead(log: Pick<LogReader, 'head'>): Promise<string> {
  const head = await log.head()
  if (head) return head.note
  throw new ServiceError('unknown_path', 'nothing is sealed yet: there is no checkpoint')
}

/**
 * The tile or the bundle at a path below `/log/`. A bundle holds entries that were sealed before
 * the last full hour. Throws a 404 for a path that names none, or none yet.
 */
export async function logTile(log: LogReader, path: string, nowMs: number): Promise<Uint8Array> {
  const name = tileNameOf(path)
  const found = name && (await tileNamed(log, name, nowMs))
  if (found) return found
  throw new ServiceError(
    'unknown_path',
    'there is no such tile, or not yet: take the size from /log/checkpoint; ' +
      'entries follow at the top of the hour, until they are pruned',
  )
}

async function tileNamed(
  log: LogReader,
  { level, index, width }: NonNullable<ReturnType<typeof tileNameOf>>,
  nowMs: number,
): Promise<Uint8Array | null> {
  if (level !== 'entries') return log.tile(level, index, width)
  const size = await log.sizeAt(hourStartMs(nowMs))
  return width <= widthIn(size, 0, index) ? log.entries(index, width) : null
}

/**
 * The proof that a row is in the log, with its entry. Throws a 404 for a row that does not exist,
 * is not sealed yet, or is still hidden from the tier.
 */
export async function proofOfRow(
  log: LogReader,
  ask: ProofAsk,
  { tier, nowMs }: { tier: Tier; nowMs: number },
): Promise<string> {
  const { kind, id } = await provableOf(log, ask)
  const index = await log.indexOf(kind, id)
  const checkpoint = index === null ? null : await logHead(log)
  if (index === null || checkpoint === null) throw await unsealed(log, { kind, id })
  if (tier === 'hourly' && index >= (await log.sizeAt(hourStartMs(nowMs))))
    throw notSealed(`${kind} ${id} is proved to hourly keys`, hourStartMs(nowMs) + HOUR_MS)
  const { size } = checkpointIn(checkpoint)!
  const [extra, path] = await Promise.all([log.entryAt(index), log.inclusion(index, size)])
  return proofText({ extra, index, path, checkpoint })
}

async function provableOf(log: LogReader, ask: ProofAsk): Promise<Provable> {
  if (ask.kind !== 'catalogue') return ask
  const id = (await log.lastChange(ask.name)) ?? (await log.lastChange(ask.name.toUpperCase()))
  if (id !== null) return { kind: ask.kind, id }
  const what = `there is no currency or provider ${JSON.stringify(ask.name)}`
  throw new ServiceError('unknown_entry', `${what}; see /currencies and /providers`)
}

async function unsealed(log: LogReader, { kind, id }: Provable): Promise<ServiceError> {
  if (await log.has(kind, id)) return notSealed(`${kind} ${id} is sealed`, log.nextMs())
  const code = kind === 'reference' ? 'unknown_reference' : 'unknown_observation'
  const details = kind === 'reference' ? {} : { observations: [id] }
  return new ServiceError(code, `there is no ${kind} ${id}`, details)
}

function notSealed(what: string, atMs: number | null): ServiceError {
  if (atMs === null)
    return new ServiceError('not_sealed', 'this service does not seal what it records')
  const at = new Date(atMs).toISOString()
  return new ServiceError('not_sealed', `${what} at ${at}; ask again then`, { available_at: at })
}
