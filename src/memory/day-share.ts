/** What this process may spend of one account's day, and has spent. */
export class DayShare {
  /** Null before the first unit is asked for. */
  limit: number | null = null
  /** Units taken here. */
  spent = 0
  /** So many are covered by shares. */
  granted = 0
  /** When so many are spent, more is asked for. */
  askAt = 0
  /** Whether some may be spent ahead of the next share. */
  mayAdvance = true
  /** Where it is between being spent and being asked for; `dry` if the last answer was nothing. */
  state: 'idle' | 'asking' | 'asked' | 'dry' = 'idle'
  isMore = false
  waiting: PromiseWithResolvers<void> | null = null
  /** What was spent when it was last asked for. */
  #told = 0

  constructor(
    readonly accountId: string,
    readonly day: number,
  ) {}

  get held(): number {
    return Math.max(0, this.granted - this.spent)
  }

  /** A unit was not used after all: it is this share's again unless it was counted meanwhile. */
  giveBack(): void {
    if (this.spent > this.#told) this.spent -= 1
  }

  /** Notes that the database is being told what is spent and held. */
  tell(): void {
    this.#told = this.spent
  }

  /** Nothing is held any more. */
  void(): void {
    this.grant(this.spent, 0)
  }

  /** So many units are held as of when `spent` were spent. */
  grant(spent: number, units: number): void {
    this.granted = spent + units
    this.askAt = this.granted - Math.floor(units / 2)
  }

  wake(): void {
    this.waiting?.resolve()
    this.waiting = null
  }
}
