import { chmod, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Account } from '~/domain/account.ts'

/** A ready account of the demonstration with its key, which only the demonstration knows. */
export type DemoAccount = Omit<Account, 'id'> & { readonly key: string }

export type DemoState = {
  /** The end of the sample that was loaded, unmoved; a state of version 1.0.0 has none. */
  readonly sampleEnd?: string
  /** The number of whole days by which the sample was moved. */
  readonly shiftDays: number
  readonly accounts: readonly DemoAccount[]
}

const OWNER_ONLY = 0o600

const pathOf = (dataDir: string): string => join(dataDir, 'demo.json')

/** The state that an earlier start of this demonstration left; null at the first. */
export async function readDemoState(dataDir: string): Promise<DemoState | null> {
  const path = pathOf(dataDir)
  const file = Bun.file(path)
  if (!(await file.exists())) return null
  return file.json().catch((error) => {
    throw new Error(
      `${path} is damaged: remove ${dataDir} to start the demonstration afresh, or restore it`,
      { cause: error },
    )
  })
}

export async function writeDemoState(dataDir: string, state: DemoState): Promise<void> {
  const path = pathOf(dataDir)
  const part = `${path}.part`
  await mkdir(dirname(path), { recursive: true })
  await Bun.write(part, `${JSON.stringify(state, null, 2)}\n`, { mode: OWNER_ONLY })
  await chmod(part, OWNER_ONLY)
  await rename(part, path)
}
