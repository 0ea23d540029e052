import { DATABASE_AWAY, type Fault } from '../fault.ts'

/** Its connections stay open, and nothing on them gets a response. */
export const databaseHung: Fault = {
  name: 'database hung',
  rules: DATABASE_AWAY,
  async play({ scene, last }) {
    scene.server.freeze()
    await last({ small: 3, full: 25 })
    scene.server.thaw()
  },
}
