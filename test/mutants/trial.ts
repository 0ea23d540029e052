import { join } from 'node:path'
import { REACHED_VARIABLE } from './reached.ts'

const ACTIVE_VARIABLE = '__STRYKER_ACTIVE_MUTANT__'
/** A mutant may make a loop endless; no test that is tried here takes as long. */
const TRIAL_MS_MAX = 120_000
const TEST_MS_MAX = 60_000

/** Runs test files of a copy, with a mutant if one is named; whether all of them pass. */
async function passes(root: string, files: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn(
    [
      process.execPath,
      'test',
      '--bail',
      `--timeout=${TEST_MS_MAX}`,
      '--preload',
      './test/mutants/reached.ts',
      ...files,
    ],
    {
      ...{ cwd: root, stdout: 'ignore', stderr: 'ignore', timeout: TRIAL_MS_MAX },
      ...{ env: { ...process.env, ...env }, killSignal: 'SIGKILL' },
    },
  )
  return (await child.exited) === 0
}

/** The ids of the mutants that a test file passes; null if it fails without any. */
export async function reachedBy(root: string, file: string): Promise<string[] | null> {
  const list = join(root, `${file}.reached`)
  if (!(await passes(root, [`./${file}`], { [REACHED_VARIABLE]: list }))) return null
  const text = await Bun.file(list).text()
  return text === '' ? [] : text.split('\n')
}

/** Reports whether one of these test files fails with a mutant, or never ends. */
export async function isKilled(root: string, id: string, files: readonly string[]) {
  const paths = files.map((file) => `./${file}`)
  return !(await passes(root, paths, { [ACTIVE_VARIABLE]: id }))
}
