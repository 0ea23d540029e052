/** Units of one account's day that this process may spend, and has spent. */
export class DayShare {
  /** Null before the first unit is requested. */
  limit: number | null = null
  /** Units spent by this process. */
  spent = 0
  /** Units covered by shares. */
  granted = 0
  /** The number of units spent at which more are requested. */
  askAt = 0
  /** Says whether some units may be spent before the next share arrives. */
  mayAdvance = true
  /** The step between running low and having asked; `dry` if the last response brought nothing. */
  state: 'idle' | 'asking' | 'asked' | 'dry' = 'idle'
  isMore = false
  waiting: PromiseWithResolvers<void> | null = null
  /** Units spent when a share was last asked for. */
  #reported = 0

  constructor(
    readonly accountId: string,
    readonly day: number,
  ) {}

  get held(): number {
    return Math.max(0, this.granted - this.spent)
  }

  /** Returns an unused unit to this share, unless it was counted meanwhile. */
  giveBack(): void {
    if (this.spent > this.#reported) this.spent -= 1
  }

  /** Notes that spent and held units are being written to the database. */
  tell(): void {
    this.#reported = this.spent
  }

  /** Drops the held units. */
  void(): void {
    this.grant(this.spent, 0)
  }

  /** Records a grant of `units`, counted from when `spent` units were spent. */
  grant(spent: number, units: number): void {
    this.granted = spent + units
    this.askAt = this.granted - Math.floor(units / 2)
  }

  wake(): void {
    this.waiting?.resolve()
    this.waiting = null
  }
}
