import { type Fault, UNNOTICED } from '../fault.ts'

/** SIGTERM and a new start, one replica after the other. */
export const rollingRestart: Fault = {
  name: 'rolling restart',
  rules: { ...UNNOTICED, mayReset: true },
  async play({ scene, isSmall, must, note, last }) {
    const rounds = isSmall ? 1 : 2
    for (let round = 0; round < rounds; round++)
      for (const replica of scene.replicas) {
        const status = await replica.stop()
        must(status === 0, `replica ${replica.name} ended with status ${status}`)
        await replica.start()
        await scene.balancer.ready(replica.name)
        await last({ small: 0.1, full: 1 })
      }
    note('restarts', rounds * scene.replicas.length)
  },
}
