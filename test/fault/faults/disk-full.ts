import { DATABASE_AWAY, type Fault } from '../fault.ts'

/** The database's disk fills up, write-ahead log and all; then somebody makes room. */
export const diskFull: Fault = {
  name: "database's disk full",
  scene: { diskMb: 220 },
  rules: DATABASE_AWAY,
  async play({ scene, last, note }) {
    const { disk, server } = scene
    await disk!.fill()
    await last({ small: 4, full: 20 })
    await disk!.free()
    note('server', server.isRunning ? 'went on' : 'had stopped and was started')
    if (!server.isRunning) await server.start()
  },
}
