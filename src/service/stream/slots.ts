import { ServiceError } from '~/domain/errors.ts'
import { STREAMS_MAX, type StreamSlot } from '~/domain/live/stream.ts'
import type { Plan } from '~/domain/quota.ts'
import { inTime } from '~/service/deadline.ts'

export type SlotStore = {
  /**
   * Records a stream slot unless the account has `othersMax` in other processes already, and
   * returns their number there. Two processes that query one account wait for each other.
   */
  take(slot: StreamSlot, othersMax: number): Promise<number>
  /** Deletes slots; unknown ones are ignored. */
  free(ids: readonly string[]): Promise<void>
  /** Makes these the slots of this process, whatever was recorded before. */
  declare(slots: readonly StreamSlot[]): Promise<void>
}

type StreamSlotsDeps = {
  readonly store: SlotStore
  readonly clock: { now(): number }
  readonly log: { warn(context: object, message: string): void }
  /** The maximum number of streams this process may have open. */
  readonly openMax: number
}

/** The time that the database may take before only the streams of this process are counted. */
const LATE_MS = 1000
/** The time for which an account's streams on other replicas are assumed to fill its share. */
const FULL_MS = 1000
/** The time when a client with too many streams may try again. */
const RETRY_SECONDS = 5

/**
 * The slots of open streams: the total of this process, and each account's in all processes.
 *
 * Each process records its slots in the database, where those of dead processes do not count. An
 * account that fills its share here is refused without a query, and one that fills it elsewhere
 * causes a query about once a second at most. While the database is unreachable, each process
 * counts its own.
 */
export class StreamSlots {
  readonly #byAccount = new Map<string, Set<StreamSlot>>()
  readonly #fullUntilMs = new Map<string, number>()
  readonly #freed = new Set<string>()
  /** The last query about each account that has one open. */
  readonly #asking = new Map<string, Promise<number>>()
  /** The time when the database last did not respond; null once it has. */
  #awayMs: number | null = null
  #freeing: Promise<void> | null = null
  #open = 0
  #isDeclared = true
  #refused = { account: 0, process: 0 }

  constructor(private readonly deps: StreamSlotsDeps) {}

  get figures() {
    return { open: this.#open, openMax: this.deps.openMax, refused: { ...this.#refused } }
  }

  /** Takes a slot, to be freed when the stream ends; throws if there is none. */
  async take(accountId: string, plan: Plan): Promise<StreamSlot> {
    const slotsMax = STREAMS_MAX[plan]
    if (this.#open >= this.deps.openMax) {
      this.#refused.process++
      throw noRoom()
    }
    const own = this.#byAccount.get(accountId)?.size ?? 0
    if (own >= slotsMax || this.#isFull(accountId)) throw this.#tooMany(plan)
    const slot = { id: crypto.randomUUID(), accountId }
    this.#add(slot)
    if ((await this.#askedInTurn(slot, slotsMax)) < slotsMax) return slot
    this.free(slot)
    this.#fullUntilMs.set(accountId, this.deps.clock.now() + FULL_MS)
    throw this.#tooMany(plan)
  }

  /** Frees a slot, idempotently. */
  free(slot: StreamSlot): void {
    const own = this.#byAccount.get(slot.accountId)
    if (!own?.delete(slot)) return
    if (own.size === 0) this.#byAccount.delete(slot.accountId)
    this.#open--
    this.#freed.add(slot.id)
    this.#freeing ??= this.#writeFreed()
  }

  /** Records again what may be lost while the database was unreachable or this process stopped. */
  async declare(): Promise<void> {
    if (this.#isDeclared && this.#open === 0) return
    const slots = [...this.#byAccount.values()].flatMap((own) => [...own])
    this.#freed.clear()
    await this.deps.store.declare(slots)
    this.#awayMs = null
    this.#isDeclared = slots.length === 0
  }

  /** Resolves when every freed slot is deleted, or could not be. */
  async settled(): Promise<void> {
    await this.#freeing
  }

  #isFull(accountId: string): boolean {
    const untilMs = this.#fullUntilMs.get(accountId)
    if (untilMs === undefined) return false
    const leftMs = untilMs - this.deps.clock.now()
    if (leftMs > 0 && leftMs <= FULL_MS) return true
    this.#fullUntilMs.delete(accountId)
    return false
  }

  #add(slot: StreamSlot): void {
    this.#byAccount.getOrInsertComputed(slot.accountId, () => new Set()).add(slot)
    this.#open++
    this.#isDeclared = false
  }

  /**
   * The number of stream slots that the account had before this one. Queries run one after the
   * other, so that each knows the outcome of those before it.
   */
  async #askedInTurn(slot: StreamSlot, slotsMax: number): Promise<number> {
    const { accountId } = slot
    const asking = (this.#asking.get(accountId) ?? Promise.resolve(0)).then(async () => {
      const earlier = [...this.#byAccount.get(accountId)!].indexOf(slot)
      return earlier + (await this.#others(slot, slotsMax - earlier))
    })
    this.#asking.set(accountId, asking)
    const count = await asking
    if (this.#asking.get(accountId) === asking) this.#asking.delete(accountId)
    return count
  }

  async #others(slot: StreamSlot, othersMax: number): Promise<number> {
    if (this.#isAway) return 0
    try {
      const message = 'the database does not respond'
      return await inTime(this.deps.store.take(slot, othersMax), { msMax: LATE_MS, message })
    } catch (err) {
      if (!this.#isAway) this.deps.log.warn({ err }, 'streams of other processes are not counted')
      this.#awayMs = this.deps.clock.now()
      return 0
    }
  }

  /** Reports whether the database did not respond just now, so that it is not queried. */
  get #isAway(): boolean {
    const { clock } = this.deps
    return this.#awayMs !== null && Math.abs(clock.now() - this.#awayMs) < LATE_MS
  }

  /** Strikes out what was freed, everything that has gathered in one statement. */
  async #writeFreed(): Promise<void> {
    try {
      while (this.#freed.size > 0) {
        const ids = [...this.#freed]
        this.#freed.clear()
        await this.deps.store.free(ids)
      }
    } catch (err) {
      this.deps.log.warn({ err }, 'ends of streams were not written, and will be with the next')
    } finally {
      this.#freeing = null
    }
  }

  #tooMany(plan: Plan): ServiceError {
    this.#refused.account++
    return new ServiceError(
      'too_many_streams',
      `the ${plan} plan allows ${STREAMS_MAX[plan]} open streams of all keys together; close ` +
        'one, name more corridors in one stream, or move to a larger plan',
      { limit: STREAMS_MAX[plan] },
      RETRY_SECONDS,
    )
  }
}

type Taking = {
  readonly slots: Pick<StreamSlots, 'take' | 'free'>
  /** Says whether this process opens no more streams. */
  readonly open: { readonly isStopped: boolean }
}

/** Takes a slot for a stream; throws if there is none, or the process has begun to stop by then. */
export async function takenSlot(
  { slots, open }: Taking,
  { id, plan }: { readonly id: string; readonly plan: Plan },
): Promise<StreamSlot> {
  if (open.isStopped) throw noRoom()
  const slot = await slots.take(id, plan)
  if (!open.isStopped) return slot
  slots.free(slot)
  throw noRoom()
}

/** The refusal of a stream that this process has no room for, or is about to stop. */
const noRoom = (): ServiceError =>
  new ServiceError(
    'streams_unavailable',
    'no further stream can be opened here; connect again in a few seconds',
    {},
    RETRY_SECONDS,
  )
