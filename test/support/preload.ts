import { afterAll, setDefaultTimeout } from 'bun:test'
import { endTestCluster } from './postgres'
import { removeScratch } from './scratch'

const MS_MAX = 30_000

setDefaultTimeout(MS_MAX)
afterAll(async () => {
  await endTestCluster()
  await removeScratch()
}, MS_MAX)
