import { type Figure, tableOf } from '../table.ts'
import type { Goal } from './endpoints.ts'
import type { Measured, Ratios } from './measure.ts'

export type ServerName = 'service' | 'bare' | 'least' | 'elysia' | 'sql'

export type Rounds = {
  /** Medians. */
  readonly servers: Partial<Record<ServerName, Measured>>
  /** Ratios of the service to each server. */
  readonly ratios: Partial<Record<ServerName, Ratios>>
}

export type Result = {
  readonly name: string
  readonly goal: Goal
  /** At full load. */
  readonly full: Rounds
  /** Service and bare server at half of the service's full load. */
  readonly half: Rounds
}

export type Report = {
  readonly takenAt: string
  readonly bun: string
  readonly generator: string
  /** TCP congestion control of this machine: some kinds pace even local traffic. */
  readonly tcp: string | null
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
  readonly results: readonly Result[]
  readonly figures: readonly Figure[]
}

function figureRatios(old: readonly Figure[], fresh: readonly Figure[]): string {
  const rows = fresh.flatMap(({ what, unit, value }) => {
    const before = old.find((figure) => figure.what === what)
    return before ? [[`${what}, ${unit}`, hundredths(value / before.value)]] : []
  })
  return rows.length > 0 ? markdown([['what', 'to before'], ...rows]) : ''
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const short = (value: number): string => String(Number(value.toPrecision(3)))
/** Empty without a number: autocannon's shortest times are 0 ms. */
const hundredths = (value: number | undefined): string =>
  value !== undefined && Number.isFinite(value) ? value.toFixed(2) : ''

const HEAD = [
  ...[
    'endpoint',
    'bytes',
    'req/s',
    'bare req/s',
    'of bare',
    'goal',
    'of least',
    'of Elysia',
    'over SQL',
    'goal',
  ],
  ...['p50 ms', 'p99 ms', 'p99.9 ms', 'half load p99 ms', 'of bare', 'goal'],
  ...['CPU µs', 'bare CPU µs', 'of bare by CPU', 'MB'],
]

function cellsOf({ name, goal, full: { servers, ratios }, half }: Result): string[] {
  const { service, bare } = servers
  const { perSecond, p50Ms, p99Ms, p999Ms, bytes, cpuMicros, residentMb } = service!
  const overSql = ratios.sql?.perSecond
  return [
    ...[name, whole(bytes), whole(perSecond), bare ? whole(bare.perSecond) : ''],
    hundredths(ratios.bare?.perSecond),
    ...[String(goal.ofBare ?? ''), hundredths(ratios.least?.perSecond)],
    hundredths(ratios.elysia?.perSecond),
    ...[overSql ? `${short(overSql)}x` : '', overSql && goal.overSql ? `${goal.overSql}x` : ''],
    ...[p50Ms, p99Ms, p999Ms].map(short),
    half.servers.service ? short(half.servers.service.p99Ms) : '',
    ...[hundredths(half.ratios.bare?.p99Ms), half.ratios.bare ? 'at most 2' : ''],
    ...[short(cpuMicros), bare ? short(bare.cpuMicros) : ''],
    ...[hundredths(ratios.bare && 1 / ratios.bare.cpuMicros), whole(residentMb)],
  ]
}

const markdown = (rows: readonly (readonly string[])[]): string => {
  const [head, ...body] = rows as [string[], ...string[][]]
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** The report as a Markdown table, with a line on how it was measured. */
export function reportTable(report: Report): string {
  const { generator, tcp, connections, rounds, seconds, takenAt, bun, results, figures } = report
  return [
    `${takenAt}, Bun ${bun}, ${generator} with ${connections} connections, ` +
      `${tcp ? `TCP ${tcp}, ` : ''}medians of ${rounds} rounds of ${seconds} s${ceilingOf(report)}`,
    ...(results.length > 0 ? [markdown([HEAD, ...results.map(cellsOf)])] : []),
    ...(figures.length > 0 ? [tableOf(figures)] : []),
  ].join('\n\n')
}

/** States the ceiling of a slow generator, near which two servers look closer than they are. */
function ceilingOf({ generator, results }: Report): string {
  const most = Math.max(0, ...results.map(({ full }) => full.servers.bare?.perSecond ?? 0))
  if (generator === 'wrk' || most === 0) return ''
  return `; ${generator} gets ${whole(most)} req/s at most out of a bare server, and wrk far more`
}

/** Changes from one report to a later one: ratios, new to old. */
export function comparison(old: Report, fresh: Report): string {
  const head = ['endpoint', 'req/s', 'of bare', 'was', 'p50', 'p99', 'p99.9', 'CPU', 'MB']
  const rows = fresh.results.flatMap((result) => {
    const before = old.results.find(({ name }) => name === result.name)
    if (!before) return []
    const [a, b] = [before.full.servers.service!, result.full.servers.service!]
    const ofBare = ({ full: { ratios } }: Result) => hundredths(ratios.bare?.perSecond)
    const of = (name: keyof Measured) => hundredths(b[name] / a[name])
    return [
      [
        ...[result.name, of('perSecond'), ofBare(result), ofBare(before)],
        ...[of('p50Ms'), of('p99Ms'), of('p999Ms'), of('cpuMicros'), of('residentMb')],
      ],
    ]
  })
  return [markdown([head, ...rows]), figureRatios(old.figures, fresh.figures)]
    .filter(Boolean)
    .join('\n\n')
}
