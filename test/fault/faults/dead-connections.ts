import { DATABASE_AWAY, type Fault } from '../fault.ts'

/**
 * A hop between one replica and the database drops their connections silently: data on them is lost
 * without an error on either side; only new connections work.
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
