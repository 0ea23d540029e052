import { afterAll } from 'bun:test'

/** File to which a trial without a mutant writes the ids of those that it passed. */
export const REACHED_VARIABLE = 'CORRIDOR_MUTANTS_REACHED'

const path = process.env[REACHED_VARIABLE]
type Passed = { mutantCoverage?: { static: Record<string, number> } }

if (path)
  afterAll(async () => {
    const { __stryker__: passed } = globalThis as { __stryker__?: Passed }
    await Bun.write(path, Object.keys(passed?.mutantCoverage?.static ?? {}).join('\n'))
  })
