import { DATABASE_AWAY, type Fault } from '../fault.ts'

/** The server crashes and stays down for a minute. */
export const databaseGone: Fault = {
  name: 'database gone',
  rules: DATABASE_AWAY,
  async play({ scene, last }) {
    await scene.server.stop('immediate')
    await last({ small: 5, full: 60 })
    await scene.server.start()
  },
}
