import { afterAll } from 'bun:test'
import { endTestCluster } from './postgres.ts'
import { removeScratch } from './scratch.ts'

const END_MS_MAX = 30_000

/** Elysia collects garbage for each app that it composes: here they are thousands. */
const { gc } = Bun
Bun.gc = (isForced) => (isForced ? gc(isForced) : 0)

afterAll(async () => {
  await endTestCluster()
  await removeScratch()
}, END_MS_MAX)
