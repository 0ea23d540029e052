import { DATABASE_AWAY, type Fault } from '../fault.ts'
import { databaseAt } from '../template.ts'

/**
 * The primary crashes; its address leads to the standby, which refuses writes until it is promoted.
 * The standby is synchronous, so it has every acknowledged row.
 */
export const failover: Fault = {
  name: 'failover to a standby',
  scene: { hasStandby: true },
  rules: DATABASE_AWAY,
  async play({ scene, last }) {
    const standby = scene.standby!
    await scene.server.stop('immediate')
    for (const proxy of scene.proxies) proxy.aim(standby.port)
    await last({ small: 2, full: 10 })
    await standby.promote()
    await scene.admin.close()
    scene.admin = databaseAt(scene.template.adminUrl(standby.port))
  },
}
