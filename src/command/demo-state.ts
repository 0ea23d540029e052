import { chmod, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plan, Role } from '~/domain/quota.ts'

/** One ready account of the demonstration; its key is kept, as there is nobody else to keep it. */
export type DemoAccount = {
  readonly plan: Plan
  readonly role: Role
  readonly email: string
  readonly key: string
}

export type DemoState = {
  /** By how many whole days the sample was moved. */
  readonly shiftDays: number
  readonly accounts: readonly DemoAccount[]
}

const OWNER_ONLY = 0o600

const pathOf = (dataDir: string): string => join(dataDir, 'demo.json')

/** What an earlier start of this demonstration left behind; null at the first. */
export async function readDemoState(dataDir: string): Promise<DemoState | null> {
  const file = Bun.file(pathOf(dataDir))
  return (await file.exists()) ? file.json() : null
}

export async function writeDemoState(dataDir: string, state: DemoState): Promise<void> {
  const path = pathOf(dataDir)
  await mkdir(dirname(path), { recursive: true })
  await Bun.write(path, `${JSON.stringify(state, null, 2)}\n`, { mode: OWNER_ONLY })
  await chmod(path, OWNER_ONLY)
}
