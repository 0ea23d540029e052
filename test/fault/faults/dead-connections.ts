import { DATABASE_AWAY, type Fault } from '../fault.ts'

/**
 * Something between one replica and the database forgets their connections: what is sent on them is
 * lost and neither side is told; only new ones pass.
 */
export const deadConnections: Fault = {
  name: 'connections of one replica go dead',
  isLong: true,
  rules: { ...DATABASE_AWAY, lagging: ['c'] },
  async play({ scene, last }) {
    const proxy = scene.proxies.at(-1)!
    proxy.silence()
    proxy.mend({ isOldCut: false })
    await last({ small: 0.5, full: 5 })
  },
}
