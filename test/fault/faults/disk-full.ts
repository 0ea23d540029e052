import { DATABASE_AWAY, type Fault } from '../fault.ts'

/** The database's disk fills up, write-ahead log included; then space is freed. */
export const diskFull: Fault = {
  name: "database's disk full",
  scene: { diskMb: 220 },
  // 507 while the disk is full, 503 if the server stopped because of it.
  rules: { ...DATABASE_AWAY, allowed: { ...DATABASE_AWAY.allowed, write: [503, 507] } },
  async play({ scene, last, note }) {
    const { disk, server } = scene
    await disk!.fill()
    await last({ small: 4, full: 20 })
    await disk!.free()
    note('server', server.isRunning ? 'went on' : 'had stopped and was started')
    if (!server.isRunning) await server.start()
  },
}
