import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { overshootMax } from '~/domain/quota.ts'
import { errorFault } from '../answer.ts'
import { type Fault, type Stage, UNNOTICED } from '../fault.ts'
import { resetOf } from '../quota.ts'
import { SMALL_QUOTA } from '../world.ts'

const LEAD_MS = 3_200
const REST_MS = 25
/** The clock passes the top of an hour, then midnight, when a used-up budget is renewed. */
export const boundaries: Fault = {
  name: 'hour and day boundary',
  rules: { ...UNNOTICED, mayReset: true },
  async play(stage) {
    const { scene, isSmall } = stage
    let used = 0
    for (let round = 0; round < (isSmall ? 1 : 2); round++) {
      approach(scene, HOUR_MS, LEAD_MS / 2)
      await delay(LEAD_MS * 0.75)
      approach(scene, DAY_MS, LEAD_MS)
      used = await spend(stage, used)
    }
  },
}

/** Sets the clock forward to this many milliseconds before the next multiple of `unitMs`. */
function approach({ clock, turn }: Stage['scene'], unitMs: number, leadMs: number): void {
  const leftMs = unitMs - (clock.now() % unitMs)
  turn(leftMs > leadMs ? leftMs - leadMs : leftMs + unitMs - leadMs)
}

/**
 * Uses up the small account's day, of which `used` units are gone, and continues until the next day
 * has begun. Resolves to the used units of that one.
 */
async function spend({ scene, load, must, note }: Stage, used: number): Promise<number> {
  const midnightMs = resetOf(scene.clock.now()) * 1000
  const units = { before: used, after: 0 }
  while (scene.clock.now() < midnightMs + LEAD_MS / 2) {
    const isAfter = scene.clock.now() >= midnightMs
    const answer = await load.ask('flood', '/providers', { caller: 'small' })
    const { status, body, fromMs, headers } = answer
    const isSuccess = status === 200
    if (!isSuccess && status !== 429) load.tally.blame(`a small account was answered ${status}`)
    if (status === 429) must(errorFault(answer) === null, `a 429 with ${errorFault(answer)}`)
    if (status === 429 && isAfter) must(false, '429 after the budget was renewed')
    if (status === 429 && body.reset !== resetOf(fromMs)) must(isAfter, `reset ${body.reset}`)
    const isOfNextDay = Number(headers.get('x-ratelimit-reset')) * 1000 > midnightMs
    if (isSuccess && isOfNextDay) units.after += 1
    else if (isSuccess) units.before += 1
    const left = Number(headers.get('x-ratelimit-remaining'))
    if (isAfter && isSuccess) must(left >= SMALL_QUOTA - 3 * units.after - 3, `${left} units left`)
    await delay(isAfter ? REST_MS * 4 : REST_MS / 2)
  }
  const over = Math.max(0, units.before - SMALL_QUOTA)
  must(over <= overshootMax(SMALL_QUOTA), `${over} requests over a quota of ${SMALL_QUOTA}`)
  must(units.before >= SMALL_QUOTA, `only ${units.before} of ${SMALL_QUOTA} units were served`)
  must(units.after > 0, 'nothing was served after midnight')
  note('over quota', over)
  return units.after
}
