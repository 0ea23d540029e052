import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { originAt } from '~/runtime/listener.ts'
import { sampleEnd, sampleShiftDays } from '~/sample/sample.ts'
import type { Database } from '~/store/database.ts'
import { demoAccounts } from './demo-accounts.ts'
import { type DemoState, readDemoState, writeDemoState } from './demo-state.ts'
import { loadSample } from './sample.ts'

type Preparation = {
  readonly database: Database
  readonly config: Pick<Config, 'dataDir' | 'publicUrl' | 'host' | 'port'>
  readonly clock: Clock
  say(line: string): void
}

/** Loads the sample unless one is there; retains data and accounts of an earlier start. */
export async function preparedDemo({
  database,
  config,
  clock,
  say,
}: Preparation): Promise<DemoState> {
  const known = await readDemoState(config.dataDir)
  const shiftDays = sampleShiftDays(clock.now())
  const origin = config.publicUrl ?? originAt(config)
  const isLoaded = await loadSample(database, { origin, shiftDays, nowMs: clock.now(), say })
  const accounts = await demoAccounts(database, known?.accounts ?? [], clock.now())
  const state = { ...(known && !isLoaded ? known : { sampleEnd, shiftDays }), accounts }
  await writeDemoState(config.dataDir, state)
  const anew = `for a current one remove ${config.dataDir} and start again`
  const daysBehind = shiftDays - state.shiftDays
  if (state.sampleEnd !== sampleEnd) say(`the sample is that of an earlier version; ${anew}`)
  else if (daysBehind > 0) say(`the sample ends ${daysBehind} days before today; ${anew}`)
  return state
}

/** Returns the sentence about a demonstration's data, once, wherever it is shown. */
export function sampleNotice(state: DemoState): string {
  const moved = `every timestamp moved forward by ${state.shiftDays} days`
  if (state.sampleEnd !== sampleEnd) return `sample data of an earlier version, ${moved}`
  return (
    `sample data, ${moved}: current prices are those that the World Bank surveyed from July to ` +
    'September 2025 for about 200 and 500 dollars between pairs of countries, its margins and ' +
    'fees put on the mids of two days; older prices, official rates and mids are as they were ' +
    'published from 2021 to 2026'
  )
}
