import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ALERT_FIELDS } from '~/domain/alert/field.ts'
import { ERROR_CODES } from '~/domain/errors.ts'
import { ERROR_STATUS } from '~/wire/errors.ts'
import { MEANINGS } from '~/wire/openapi/meanings.ts'
import { answerable } from '../http/questions.ts'
import { scriptOutput } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { type Json, SchemaCheck } from '../support/json-schema.ts'
import { pageAt, tableRows } from '../support/pages.ts'
import type { Column } from '../support/rows.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

/** A request to a named host, since linters reject localhost as a server. */
const NAMED = { headers: { host: 'rates.test' } }

const world = answerable()
const document = await documentOf(world.app)
const check = new SchemaCheck(document)

type Parameter = { name: string; in: string; required: boolean; schema: Json } & Json
type Operation = { id: string; method: string; path: string; parameters: Parameter[] } & Json
type Media = {
  schema: Json
  examples?: Record<string, { value: { code?: string } }>
  'x-columns'?: readonly Column[]
}

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    id: operation.operationId as string,
    method,
    path,
    parameters: (operation.parameters ?? []) as Parameter[],
  })),
)

/** Every documented body: its response and its media. */
const bodies = operations.flatMap(({ id, responses }) =>
  Object.entries(responses as Record<string, Json>).flatMap(([status, response]) => {
    const { content = {} } = check.resolved(response)
    return Object.entries(content as Record<string, Media>).map(([type, media]) => ({
      name: `${id} ${status} ${type}`,
      status: Number(status),
      type,
      media,
    }))
  }),
)

describe('the document', () => {
  test(
    'lints clean under the recommended rules of redocly, offline',
    async () => {
      const file = join(await scratchFolder(), 'openapi.json')
      const named = { fetch: (request: Request) => world.app.fetch(new Request(request, NAMED)) }
      await Bun.write(file, JSON.stringify(await documentOf(named)))
      const { status, stderr } = await scriptOutput(
        ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--extends=recommended', file],
        { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      )
      expect([status, stderr]).toEqual([
        0,
        expect.stringContaining('Your API description is valid'),
      ])
      expect(stderr).not.toMatch(/warning|ignored/i)
    },
    TEST_MS_MAX,
  )

  test('is OpenAPI 3.1 of version 1.0.0, with the key as the only security scheme', () => {
    expect(document.openapi).toStartWith('3.1.')
    expect((document.info as Json).version).toBe('1.0.0')
    expect((document.components as Json).securitySchemes).toEqual({
      ApiKey: expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-API-Key' }),
      Bearer: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
      StreamToken: expect.objectContaining({ type: 'apiKey', in: 'query', name: 'token' }),
    })
    expect(document.security).toEqual([{ ApiKey: [] }, { Bearer: [] }])
    const others = operations.flatMap(({ id, security }) => (security ? [[id, security]] : []))
    expect(others).toEqual([
      ['getStatus', []],
      ['stream', [{ ApiKey: [] }, { Bearer: [] }, { StreamToken: [] }]],
    ])
  })

  test('has every path below the base path, and no other', () => {
    const routed = world.app
      .allRoutes()
      .filter(
        ({ method, path }) =>
          /^(GET|POST|PATCH|DELETE)$/.test(method) && path.startsWith('/api/v1/'),
      )
      .map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`)
      .flatMap((path) =>
        ['{date}.csv.gz', ...(path.includes('/files/:file') ? ['{month}.parquet'] : [])].map(
          (file) => path.replace('/files/:file', `/files/${file}`),
        ),
      )
      .map((path) => path.replace(':alert', '{id}'))
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(documented.sort()).toEqual(routed.sort())
    const rows = tableRows(pageAt('docs/api.md'), 'endpoint').map(([cell]) => cell!)
    expect(rows.map((cell) => cell.replace(/^`|[?`].*$/g, '')).sort()).toEqual(documented)
  })

  test('gives each operation a name of its own, in the style of a method', () => {
    const ids = operations.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/)
  })

  test('describes every operation and parameter', () => {
    for (const { id, summary, description, parameters } of operations) {
      expect([id, summary, description]).toEqual([id, expect.any(String), expect.any(String)])
      for (const { name, description, example, schema } of parameters) {
        expect([id, name, description]).toEqual([id, name, expect.any(String)])
        const hint = [example, schema.default, schema.examples, schema.enum]
        expect([id, name, hint.some((value) => value !== undefined)]).toEqual([id, name, true])
      }
    }
  })

  test('describes every component, and no component that there is not', () => {
    const kinds = document.components as Record<string, Record<string, Json>>
    for (const [kind, components] of Object.entries(kinds))
      for (const [name, { description }] of Object.entries(components))
        expect([kind, name, description]).toEqual([kind, name, expect.stringMatching(/\w+ \w+/)])
    expect(Object.keys(MEANINGS).filter((name) => !kinds.schemas![name])).toEqual([])
  })

  test('writes null as 3.1 does, and lists as they are sent', () => {
    expect(JSON.stringify(document)).not.toContain('"nullable"')
    const lists = operations.flatMap(({ parameters }) =>
      parameters.filter(({ schema }) => schema.type === 'array'),
    )
    expect(lists.map(({ name }) => name).sort()).toEqual([
      ...Array.from({ length: 7 }, () => 'channel'),
      'corridors',
      ...['from', 'from'],
      ...Array.from({ length: 7 }, () => 'pay_in'),
      ...Array.from({ length: 7 }, () => 'pay_out'),
      ...['provider', 'to', 'to'],
    ])
    for (const { style, explode } of lists) expect([style, explode]).toEqual(['form', false])
  })

  test('offers JSON, and CSV and NDJSON for lists', () => {
    const others = bodies
      .filter(
        ({ type }) => !/json$|gzip|parquet|event-stream|plain/.test(type) || /x-nd/.test(type),
      )
      .map(({ name }) => name)
    const lists = [
      ...['getRates', 'getHistory', 'convertAmount', 'listCorridors', 'getCosts', 'getTimeSeries'],
      ...['getHistorical', 'getOfficial', 'getProviderRates'],
    ]
    const rows = ['text/csv', 'application/x-ndjson']
    expect(others).toEqual(lists.flatMap((id) => rows.map((medium) => `${id} 200 ${medium}`)))
    const askable = operations.filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'format'),
    )
    expect(askable.map(({ id }) => id)).toEqual(lists)
  })

  test('names the columns of each list in their order, as columns.txt does', async () => {
    const columns = bodies.flatMap(({ name, media: { 'x-columns': own } }) => {
      const { path } = operations.find(({ id }) => name.startsWith(`${id} `))!
      return own ? [`${path} ${own.map((column) => column.name).join()}`] : []
    })
    expect(columns).toHaveLength(9)
    const known = await Bun.file(join(import.meta.dir, 'columns.txt')).text()
    expect(columns).toEqual(known.trimEnd().split('\n'))
  })

  test('has an example for every response and every code, and each fits its schema', () => {
    for (const { name, media, type } of bodies) {
      if (/gzip|parquet|event-stream|plain/.test(type)) continue
      const values = Object.values(media.examples ?? {}).map(({ value }) => value)
      expect([name, values.length]).not.toEqual([name, 0])
      const faults = values.flatMap((value) => check.faults(media.schema, value))
      expect([name, faults]).toEqual([name, []])
      const codes = JSON.stringify(media.schema).match(/\w+Error"/g) ?? []
      expect([name, values.length]).toEqual([name, Math.max(values.length, new Set(codes).size)])
    }
  })

  test('has examples with every field of alerts and every value to watch; if not: bun run examples', () => {
    const alerts = bodies.filter(({ name, status }) => /alert/i.test(name) && status < 300)
    expect(alerts.length).toBeGreaterThan(7)
    for (const { name, media } of alerts) {
      const values = Object.values(media.examples ?? {}).map(({ value }) => value)
      expect([name, unshown(media.schema, values)]).toEqual([name, []])
    }
    const missing = bodies.find(({ name }) => name.startsWith('changeAlert 400'))!.media
    expect(JSON.stringify(missing.examples)).toContain(`one of ${ALERT_FIELDS.join(', ')}"`)
  })

  test('has every code of the service at its status, except codes of no operation', () => {
    const statuses = new Map<string, number>()
    for (const { media, status } of bodies)
      for (const { value } of Object.values(media.examples ?? {}))
        if (value.code) statuses.set(value.code, status)
    const expected = ERROR_CODES.filter((code) => code !== 'unknown_path')
    expect(Object.fromEntries(statuses)).toEqual(
      Object.fromEntries(expected.map((code) => [code, ERROR_STATUS[code]])),
    )
  })

  test('has examples of request bodies that fit their schema', () => {
    for (const { requestBody } of operations) {
      if (!requestBody) continue
      const { content } = requestBody as { content: Record<string, Media> }
      const { schema, examples = {} } = content['application/json']!
      for (const { value } of Object.values(examples))
        expect(check.faults(schema, value)).toEqual([])
      expect(check.faults(schema, [])).not.toEqual([])
    }
  })
})

describe('a parameter', () => {
  const asked = operations.flatMap(({ path, method, parameters }) =>
    parameters
      .filter((parameter) => method === 'get' && parameter.in === 'query')
      .map((parameter) => ({ path, parameter, all: parameters })),
  )

  /** The response to the documented examples, with one parameter changed. */
  async function answer({ path, parameter, all }: (typeof asked)[number], text: string | null) {
    const examples = all
      .filter(({ example }) => example !== undefined)
      .map(({ name, example }) => [name, String(example)])
    const query = { ...Object.fromEntries(examples), [parameter.name]: text }
    const given = Object.entries(query).filter(([, value]) => value !== null)
    const parameters = new URLSearchParams(given as [string, string][])
    const { status, body } = await world.get(`${path}?${parameters}`, world.key())
    return { status, code: body?.code, parameter: body?.parameter, error: body?.error }
  }

  test('is reported as missing if it has an example and is not given, and only then', async () => {
    for (const question of asked) {
      const { name, example } = question.parameter
      const missed = { status: 400, code: 'missing_parameter', parameter: name }
      const { error: _, ...met } = await answer(question, null)
      if (example !== undefined) expect(met).toEqual(missed)
      else expect([name, met.code]).not.toEqual([name, 'missing_parameter'])
    }
  })

  test('is accepted at its documented bounds and refused beyond them', async () => {
    const seen = new Set<string>()
    for (const question of asked) {
      const { name } = question.parameter
      for (const { keyword, inside, beyond } of edgesOf(question.parameter.schema)) {
        seen.add(keyword)
        const { error, ...refusal } = await answer(question, beyond)
        expect([keyword, refusal]).toEqual([
          keyword,
          { status: 400, code: 'invalid_parameter', parameter: name },
        ])
        const taken = await answer(question, inside)
        expect([name, keyword, taken.error]).not.toEqual([name, keyword, error])
      }
    }
    const all = [
      'enum',
      'exclusiveMinimum',
      'format',
      'maxItems',
      'maxLength',
      'maximum',
      'minimum',
    ]
    expect([...seen].sort()).toEqual(all)
  })
})

/** The fields of a schema that none of the values has. */
function unshown(schema: Json, values: readonly unknown[], at = ''): string[] {
  const { properties = {}, items } = check.resolved(schema) as { properties?: Json; items?: Json }
  if (items) return unshown(items, values.flat(), `${at}[]`)
  return Object.entries(properties).flatMap(([name, field]) => {
    const having = values.filter((value): value is Json => name in Object(value))
    if (having.length === 0) return [`${at}.${name}`]
    const held = having.map((value) => value[name])
    return unshown(field as Json, held, `${at}.${name}`)
  })
}

type Edge = { keyword: string; inside: string; beyond: string }

/** A string just inside and one just beyond each bound of a schema. */
function edgesOf(schema: Json): Edge[] {
  const edges: Record<string, (limit: never) => Omit<Edge, 'keyword'>> = {
    minimum: (limit: number) => ({ inside: String(limit), beyond: String(limit - 1) }),
    maximum: (limit: number) => ({ inside: String(limit), beyond: String(limit + 1) }),
    exclusiveMinimum: (limit: number) => ({ inside: '0.000001', beyond: String(limit) }),
    maxLength: (limit: number) => ({ inside: 'a'.repeat(limit), beyond: 'a'.repeat(limit + 1) }),
    maxItems: (limit: number) => ({ inside: codes(limit), beyond: codes(limit + 1) }),
    enum: (words: string[]) => ({ inside: words.at(-1)!, beyond: `${words[0]}x` }),
    format: (format: string) => ({
      inside: format === 'date' ? '2026-03-04' : '2026-03-04T12:00:00Z',
      beyond: format === 'date' ? '2026-02-30' : '2026-03-04T12:00:00',
    }),
  }
  return Object.entries(schema).flatMap(([keyword, limit]) => {
    const edge = edges[keyword]
    return edge ? [{ keyword, ...edge(limit as never) }] : []
  })
}

/** A list of different, unknown codes. */
const codes = (count: number): string =>
  Array.from({ length: count }, (_, i) => `X${letter(Math.floor(i / 26))}${letter(i % 26)}`).join()

const letter = (i: number): string => String.fromCharCode(65 + i)
