import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { addAccount, Replica } from '../runtime/replica-scene.ts'
import { stockedDatabase } from '../store/samples.ts'
import { ROOT } from '../support/child.ts'
import { Said } from '../support/exposition.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

type Rule = {
  alert: string
  expr: string
  for?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}
type Alerts = { groups: { rules: Rule[] }[] }
type Tests = { tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[] }
type Panel = { title: string; type: string; targets?: { expr: string }[]; gridPos: GridPos }
type GridPos = { x: number; y: number; w: number; h: number }

const read = (name: string): Promise<string> => Bun.file(join(ROOT, 'ops', name)).text()
const { groups } = Bun.YAML.parse(await read('alerts.yaml')) as Alerts
const testsIn = async (name: string) => (Bun.YAML.parse(await read(name)) as Tests).tests
const tests = (await Promise.all(['alerts.test.yaml', 'alerts-days.test.yaml'].map(testsIn))).flat()
const rules = groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(await read('dashboard.json')) as { panels: Panel[] }
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
)
const all = [...rules.map(({ alert, expr }) => [alert, expr] as const), ...queries]

/** Labels that Prometheus adds, or that belong to none of our metrics. */
const LABELS_OF_PROMETHEUS = ['job', 'instance', 'le']

/** Metrics that no rule or panel uses, for investigations. */
const ASIDE = [
  'corridor_backup_last_timestamp_seconds',
  'corridor_feed_duration_seconds',
  'corridor_feed_last_success_timestamp_seconds',
  'corridor_source_duration_seconds',
  'corridor_source_last_success_timestamp_seconds',
  'corridor_window_cache_entries',
]

const METRIC = /\b((?:corridor|process)_\w+)(?:\{([^}]*)\})?/g

let database: FreshDatabase
let replica: Replica
let metrics: Said

beforeAll(async () => {
  database = await stockedDatabase()
  const upstream = Bun.serve({ port: 0, fetch: () => new Response('gone', { status: 410 }) })
  const settings = {
    REFERENCE_FEED: 'ecb',
    REFERENCE_FEED_URL: `http://localhost:${upstream.port}`,
    MID_MAX_AGE: '1m',
  }
  const { keys } = await addAccount(database, {})
  replica = await Replica.start(database, { settings })
  expect((await replica.get('/fetch-one?from=USD&to=KES', keys[0]!)).status).toBe(503)
  const scrape = async () =>
    new Said(await (await fetch(`${replica.service.origin}/metrics`)).text())
  await until('feeds and jobs have run', async () => {
    metrics = await scrape()
    return ['corridor_feed_failing', 'corridor_job_last_success_timestamp_seconds'].every(
      (name) => metrics.all(name).length > 0,
    )
  })
  metrics = await scrape()
  await upstream.stop(true)
})
afterAll(async () => {
  await replica.service.stop()
  await database.close()
})

const baseOf = (name: string): string =>
  metrics.types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')

describe('ops', () => {
  test.each(all)('%s uses metrics that a service has: %s', (_, expr) => {
    const names = [...expr.matchAll(METRIC)].map(([, name]) => name!)
    expect(names.filter((name) => !metrics.types.has(baseOf(name)))).toEqual([])
    if (expr !== 'up{job="corridor"} == 0') expect(names).not.toEqual([])
  })

  test('only histograms are used by their parts', () => {
    const wrong = all.flatMap(([, expr]) =>
      [...expr.matchAll(METRIC)]
        .map(([, name]) => name!)
        .filter(
          (name) => (metrics.types.get(baseOf(name)) === 'histogram') === (name === baseOf(name)),
        ),
    )
    expect(wrong).toEqual([])
  })

  test('counters are used as rates, and gauges are not', () => {
    const wrong = all.flatMap(([title, expr]) =>
      [...expr.matchAll(METRIC)].flatMap(([whole, name]) => {
        const isRate = /(rate|increase)\($/.test(expr.slice(0, expr.indexOf(whole)))
        const isGauge = metrics.types.get(name!) === 'gauge'
        return isRate === isGauge ? [`${title}: ${name}`] : []
      }),
    )
    expect(wrong).toEqual([])
  })

  test('every label in use is a label of its metric', () => {
    const wrong = all.flatMap(([title, expr]) =>
      [...expr.matchAll(METRIC)].flatMap(([, name, selector = '']) => {
        const asked = [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!)
        const [line] = metrics.lines.filter((one) => baseOf(one.name) === baseOf(name!))
        const known = [...LABELS_OF_PROMETHEUS, ...Object.keys(line?.labels ?? {})]
        return asked.filter((label) => !known.includes(label)).map((label) => `${title}: ${label}`)
      }),
    )
    expect(wrong).toEqual([])
  })

  test('every route in use exists', () => {
    const asked = all.flatMap(([, expr]) =>
      [...expr.matchAll(/route(?:=~|!=|=)"([^"]+)"/g)].map(([, pattern]) => pattern!),
    )
    const routes = [
      '/readyz',
      '/api/v1/rates',
      '/api/v1/fetch-one',
      '/api/v1/rates/history',
      '/mcp',
    ]
    expect(asked.length).toBeGreaterThan(0)
    for (const pattern of asked)
      expect([pattern, routes.some((route) => new RegExp(`^(${pattern})$`).test(route))]).toEqual([
        pattern,
        true,
      ])
  })

  test('every alert says how urgent it is, what happened and what to do, and is tested', () => {
    for (const { alert, labels, annotations, for: wait } of rules) {
      expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|warn)$/)])
      expect([alert, wait]).toEqual([alert, expect.stringMatching(/^\d+[mh]$/)])
      expect(annotations?.summary).toMatch(/\w+ \w+/)
      expect(annotations?.description).toMatch(/\w+ \w+/)
    }
    const fired = tests.flatMap((one) =>
      one.alert_rule_test.filter(({ exp_alerts }) => exp_alerts).map(({ alertname }) => alertname),
    )
    expect(rules.map(({ alert }) => alert).filter((alert) => !fired.includes(alert))).toEqual([])
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('every metric of our own is shown on the dashboard or watched by an alert', () => {
    const asked = new Set(
      all.flatMap(([, expr]) => [...expr.matchAll(METRIC)].map(([, name]) => baseOf(name!))),
    )
    const own = [...metrics.types.keys()].filter((name) => name.startsWith('corridor_'))
    expect(own.filter((name) => !asked.has(name) && !ASIDE.includes(name))).toEqual([])
  })

  test('no two panels of the dashboard overlap', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })
})
