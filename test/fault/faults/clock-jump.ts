import { HOUR_MS } from '~/domain/duration.ts'
import { type Fault, UNNOTICED } from '../fault.ts'

const JUMPS_HOURS = [1.5, -1.5, -0.7, 25, -24.3, 0.1]

/** Memory is checked every two seconds. */
const HEAL_MS_MAX = 5_000

/**
 * The clock of all replicas jumps forward and back, over hours and days. If it goes back further
 * than memory reaches, hourly keys may find a corridor empty until it is loaded again.
 */
export const clockJump: Fault = {
  name: 'clock jumps forward and back',
  rules: { ...UNNOTICED, mayForget: true, mayReset: true },
  async play({ scene, load, last, heal, must, note }) {
    for (const hours of JUMPS_HOURS) {
      scene.turn(hours * HOUR_MS)
      await last({ small: 0.4, full: 2 })
      must(
        (await heal()) <= HEAL_MS_MAX + load.stalls.slackMs,
        `${hours} hours were not digested in time`,
      )
    }
    note('hours', JUMPS_HOURS.join(' '))
    note('hourly responses without a quote', load.forgotten)
  },
}
