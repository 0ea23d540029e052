import { join } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { type Plan, tierOf } from '~/domain/quota.ts'
import { baseUrl } from '~/http/path.ts'
import { freePort } from '~/runtime/listener.ts'
import { sampleSources } from '~/sample/sample.ts'
import { demoEmail } from './demo-accounts.ts'
import { preparedDemo, sampleNotice } from './demo-sample.ts'
import type { DemoState } from './demo-state.ts'
import { serveUntilSignal } from './serving.ts'
import { configOf, type Terminal } from './terminal.ts'

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('serve real sample data from a database of its own, with three ready accounts')
    .action(() => serveDemo(terminal, () => {}))
}

type Ready = { readonly origin: string; readonly key: string }

/** Serves a demonstration until a signal ends it; calls `onReady` once it accepts requests. */
export const serveDemo = (terminal: Terminal, onReady: (demo: Ready) => void): Promise<void> =>
  serveUntilSignal(terminal, { configOf: demoConfig }, async ({ config, log, database }) => {
    const say = (line: string) => log.info({}, line)
    if (terminal.env.DATABASE_URL?.trim())
      say('the demonstration leaves DATABASE_URL alone and uses a database of its own')
    const clock = systemClock
    const state = await preparedDemo({ database, config, clock, say })
    const sample = sampleNotice(state)
    const { startService } = await import('~/runtime/service.ts')
    const service = await startService({ config, clock, log, database, sample })
    const { origin } = service
    onReady({ origin, key: keyOf(state, 'enterprise') })
    const place = { origin, url: baseUrl(origin), where: database.where }
    return { service, lines: introduction(place, state) }
  })

const keyOf = ({ accounts }: DemoState, plan: Plan): string =>
  accounts.find(({ email }) => email === demoEmail(plan))!.key

/**
 * The settings of a demonstration: a database of its own, and no feed that would replace its mids.
 */
function demoConfig(terminal: Terminal): Config {
  const config = configOf(terminal)
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

type Place = Readonly<Record<'origin' | 'url' | 'where', string>>

function introduction({ origin, url, where }: Place, state: DemoState): string[] {
  const curl = (plan: Plan, path: string) =>
    `  curl -s -H 'X-API-Key: ${keyOf(state, plan)}' '${url}${path}'`
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
    curl('enterprise', '/convert?from=EUR&to=MAD&amount=180'),
    curl('free', '/rates?from=GBP&to=KES'),
    curl('enterprise', '/fetch-matrix?from=USD,EUR,GBP&to=KES,NGN,XOF,USDT'),
    curl('pro', '/rates/provider?provider=western-union'),
    `  curl -s '${url}/status'`,
  ]
}
