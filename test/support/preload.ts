import { afterAll } from 'bun:test'
import fc from 'fast-check'
import { endTestCluster } from './postgres.ts'
import { preferMemory, removeScratch } from './scratch.ts'

const END_MS_MAX = 30_000
const SEED = 2026

/** Every run draws the same cases, so that a change is tested by its own effect; see `--repeat`. */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? SEED) })

await preferMemory()

/** Elysia collects garbage for each app that it composes, a service once it has loaded its memory. */
Bun.gc = () => 0

afterAll(async () => {
  await endTestCluster()
  await removeScratch()
}, END_MS_MAX)
