import { type Fault, UNNOTICED } from '../fault.ts'

const ROUND_TRIP_MS = 200

/** Each round trip to the database takes 200 ms longer; only writes may become slower. */
export const databaseSlow: Fault = {
  name: 'database slow, 200 ms a round trip',
  rules: { ...UNNOTICED, lagging: ['a', 'b', 'c'] },
  async play({ scene, last }) {
    for (const proxy of scene.proxies) proxy.latencyMs = ROUND_TRIP_MS
    await last({ small: 3, full: 15 })
    for (const proxy of scene.proxies) proxy.latencyMs = 0
  },
}
