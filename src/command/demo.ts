import { join } from 'node:path'
import type { Command } from 'commander'
import { type Clock, systemClock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { type Plan, tierOf } from '~/domain/quota.ts'
import { freePort, originAt } from '~/runtime/listener.ts'
import { sampleShiftDays, sampleSources } from '~/sample/sample.ts'
import type { Database } from '~/store/database.ts'
import { demoAccounts, demoEmail } from './demo-accounts.ts'
import { type DemoState, readDemoState, writeDemoState } from './demo-state.ts'
import { loadSample } from './sample.ts'
import { serveUntilSignal } from './serving.ts'
import { configOf, type Terminal, withDefault } from './terminal.ts'

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('serve real sample data from a database of its own, with three ready accounts')
    .action(() =>
      serveUntilSignal(terminal, { configOf: demoConfig }, async ({ config, log, database }) => {
        const say = (line: string) => log.info({}, line)
        if (terminal.env.DATABASE_URL?.trim())
          say('the demonstration leaves DATABASE_URL alone and uses a database of its own')
        const clock = systemClock
        const state = await prepared({ database, config, clock, say })
        const sample = sampleNotice(state)
        const { baseUrl, startService } = await import('~/runtime/service.ts')
        const service = await startService({ config, clock, log, database, sample })
        const place = {
          origin: service.origin,
          url: baseUrl(service.origin),
          where: database.where,
        }
        return { service, lines: introduction(place, state) }
      }),
    )
}

/**
 * The age limit of mids: some of the sample's currencies end days before the others, and nothing
 * fetches newer ones.
 */
const MID_MAX_AGE = '10d'

/**
 * The settings of a demonstration: a database of its own, and no feed that would replace its mids.
 */
function demoConfig(terminal: Terminal): Config {
  const env = withDefault(terminal.env, 'MID_MAX_AGE', MID_MAX_AGE)
  const config = configOf({ ...terminal, env })
  const port = config.port === 0 ? freePort(config.host) : config.port
  return {
    ...config,
    workers: 1,
    port,
    databaseUrl: null,
    dataDir: join(config.dataDir, 'demo'),
    feeds: [],
  }
}

/** Loads the sample unless it is there; data and accounts of an earlier start are kept. */
async function prepared({ database, config, clock, say }: Preparation): Promise<DemoState> {
  const known = await readDemoState(config.dataDir)
  const shiftDays = known?.shiftDays ?? sampleShiftDays(clock.now())
  const origin = config.publicUrl ?? originAt(config)
  await loadSample(database, { origin, shiftDays, nowMs: clock.now(), say })
  const accounts = await demoAccounts(database, known?.accounts ?? [], clock.now())
  const state = { shiftDays, accounts }
  await writeDemoState(config.dataDir, state)
  const newShiftDays = sampleShiftDays(clock.now())
  if (newShiftDays > shiftDays)
    say(
      `the sample ends ${newShiftDays - shiftDays} days before today; ` +
        `for a current one remove ${config.dataDir} and start again`,
    )
  return state
}

type Preparation = {
  database: Database
  config: Config
  clock: Clock
  say(line: string): void
}

const sampleNotice = ({ shiftDays }: DemoState): string =>
  `sample data: real prices of 2021 to 2025, every timestamp moved forward by ${shiftDays} days; ` +
  `mids count as recent for ${MID_MAX_AGE} unless MID_MAX_AGE says otherwise`

type Place = Readonly<Record<'origin' | 'url' | 'where', string>>

function introduction({ origin, url, where }: Place, state: DemoState): string[] {
  const key = (plan: Plan) => state.accounts.find(({ email }) => email === demoEmail(plan))!.key
  const curl = (plan: Plan, path: string) =>
    `  curl -s -H 'X-API-Key: ${key(plan)}' '${url}${path}'`
  return [
    `corridor answers at ${url}`,
    `for people: ${origin}/   to read and try: ${origin}/docs   ` +
      `tools for agents: ${origin}/mcp`,
    '',
    sampleNotice(state),
    ...sampleSources.map((line) => `  ${line}`),
    `kept in ${where}`,
    '',
    'accounts:',
    ...state.accounts.map(
      (account) =>
        `  ${account.plan.padEnd(10)} ${account.role.padEnd(8)} ` +
        `${tierOf(account.plan).padEnd(8)} ${account.key}`,
    ),
    '',
    'try:',
    curl('enterprise', '/convert?from=EUR&to=MAD&amount=140'),
    curl('free', '/rates?from=GBP&to=KES'),
    curl('enterprise', '/fetch-matrix?from=USD,EUR,GBP&to=KES,NGN,XOF,USDT'),
    curl('pro', '/rates/provider?provider=western-union'),
    `  curl -s '${url}/status'`,
  ]
}
