import { DATABASE_AWAY, type Fault } from '../fault.ts'

/** An operator restarts the database several times. */
export const databaseRestarted: Fault = {
  name: 'database restarted',
  rules: DATABASE_AWAY,
  async play({ scene, isSmall, last, heal }) {
    for (let round = 0; round < (isSmall ? 2 : 4); round++) {
      await scene.server.stop('fast')
      await scene.server.start()
      await heal()
      await last({ small: 0.2, full: 1 })
    }
  },
}
