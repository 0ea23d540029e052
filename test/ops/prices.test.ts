import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import examples from '~generated/examples.json'
import { answerable } from '../http/questions.ts'
import { ROOT } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { type Json, SchemaCheck } from '../support/json-schema.ts'
import { ORIGIN, replyOf } from '../support/world.ts'

type Column = { selector: string; text: string; type: string }
type Target = {
  datasource: { type: string; uid: string }
  type: string
  source: string
  parser: string
  url: string
  url_options: { method: string; params: { key: string; value: string }[] }
  root_selector: string
  columns: Column[]
}
type Operation = {
  operationId: string
  parameters?: { name: string }[]
  responses: { 200: { content: { 'application/json': { schema: Json } } } }
}
type Recorded = Record<string, Record<string, Record<string, unknown>>>
type Panel = {
  title: string
  targets: Target[]
  gridPos: { x: number; y: number; w: number; h: number }
}
type Variable = {
  name: string
  type: string
  query: string | { infinityQuery: Target }
  current: { value?: string }
}

const DATASOURCE = `\${datasource}`
const BASE = `\${url}/api/v1`

const text = await Bun.file(join(ROOT, 'ops/prices.json')).text()
const { panels, templating } = JSON.parse(text) as {
  panels: Panel[]
  templating: { list: Variable[] }
}
const variables = templating.list
const asked = [
  ...panels.flatMap(({ title, targets }) => targets.map((target) => [title, target] as const)),
  ...variables.flatMap(({ name, query }) =>
    typeof query === 'string' ? [] : [[`$${name}`, query.infinityQuery] as const],
  ),
]

const world = answerable()
const document = await documentOf(world.app)
const check = new SchemaCheck(document)
const { paths } = document

/** Values that Grafana substitutes for its own variables, and for ours as they are at first. */
const values: Record<string, string> = {
  '__from:date:iso': '2026-02-03T14:25:30.000Z',
  '__to:date:iso': '2026-03-05T14:25:30.000Z',
  ...Object.fromEntries(variables.map(({ name, current }) => [name, current.value ?? name])),
  url: ORIGIN,
}

const filled = (template: string): string =>
  template.replace(/\$\{([^}]+)\}/g, (whole, name: string) => values[name] ?? whole)

const at = (value: unknown, path: string): unknown =>
  path === ''
    ? value
    : path.split('.').reduce((held, name) => (held as Record<string, unknown>)?.[name], value)

const FITS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  timestamp: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
}

/** Reports whether the document has the field in the response, for one that no example has. */
function isTold({ responses }: Operation, path: string): boolean {
  const { schema } = responses[200].content['application/json']
  const member = path
    .split('.')
    .reduce<Json>(
      (held, name) => check.resolved((held.properties as Json)[name] as Json),
      check.resolved(schema),
    )
  return member.type === 'number'
}

describe('the dashboard of prices', () => {
  test.each(asked)('%s queries the data source of the dashboard for JSON', (_, target) => {
    const { datasource, type, source, parser } = target
    expect(datasource).toEqual({ type: 'yesoreyeram-infinity-datasource', uid: DATASOURCE })
    expect({ type, source, parser }).toEqual({ type: 'json', source: 'url', parser: 'backend' })
    expect(target.url).toStartWith(BASE)
  })

  test.each(asked)('%s uses existing parameters, and shows existing fields', async (_, target) => {
    const { url, url_options, root_selector, columns } = target
    const operation = paths[url.replace(BASE, '')]!.get as Operation
    const { parameters = [], operationId } = operation
    const known = parameters.map(({ name }) => name)
    expect(url_options.params.filter(({ key }) => !known.includes(key))).toEqual([])
    const query = url_options.params.map(({ key, value }) => [key, filled(value)])
    const question = `${filled(url)}?${new URLSearchParams(query)}`
    expect(question).not.toContain('$')
    const headers = { 'x-api-key': world.key() }
    const { status, body } = await replyOf(
      await world.app.handle(new Request(question, { headers })),
    )
    expect([question, status]).toEqual([question, 200])
    const answers = [...Object.values((examples as Recorded)[operationId]![200]!), body]
    const rows = answers.flatMap((answer) => at(answer, root_selector) as unknown[])
    for (const { selector, text, type } of columns) {
      const shown = rows.map((row) => at(row, selector)).filter((value) => value != null)
      expect([text, shown.every(FITS[type]!)]).toEqual([text, true])
      if (shown.length > 0) continue
      const isKnown = isTold(operation, `${root_selector}.${selector}`)
      expect([text, isKnown]).toEqual([text, true])
    }
  })

  test('no two panels overlap', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })
})
