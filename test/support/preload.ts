import { afterAll } from 'bun:test'
import { endTestCluster } from './postgres.ts'
import { removeScratch } from './scratch.ts'

const END_MS_MAX = 30_000

afterAll(async () => {
  await endTestCluster()
  await removeScratch()
}, END_MS_MAX)
