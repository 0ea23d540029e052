import { HOUR_MS } from '~/domain/freshness.ts'
import { type Fault, UNNOTICED } from '../fault.ts'

const JUMPS_HOURS = [1.5, -1.5, -0.7, 25, -24.3, 0.1]

/** The clock of all replicas jumps forward and back, over hours and days. */
export const clockJump: Fault = {
  name: 'clock jumps forward and back',
  rules: UNNOTICED,
  async play({ scene, last, note }) {
    for (const hours of JUMPS_HOURS) {
      scene.clock.turn(hours * HOUR_MS)
      await last({ small: 0.6, full: 5 })
    }
    note('hours', JUMPS_HOURS.join(' '))
  },
}
