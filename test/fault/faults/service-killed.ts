import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

/** A crash loses at most the counts of the last second, plus the delay of the tick. */
const LOST_MS = 1_500

/** `kill -9` of one replica after another, at any time; it is restarted at once. */
export const serviceKilled: Fault = {
  name: 'kill -9 of a service',
  rules: { allowed: { write: [0, 502] }, lagging: [], mayReset: true },
  async play({ scene, load, isSmall, heal, note }) {
    const rounds = isSmall ? 2 : 8
    for (let round = 0; round < rounds; round++) {
      await delay(200 + Math.random() * 700)
      const replica = scene.replicas[Math.floor(Math.random() * scene.replicas.length)]!
      await replica.kill()
      scene.mayLose += load.answersOf(replica.name, LOST_MS + load.stalls.slackMs)
      await replica.start()
      await heal()
      await scene.balancer.ready(replica.name)
    }
    note('kills', rounds)
  },
}
