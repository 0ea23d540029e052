import { newApiKey } from '~/domain/api-key.ts'
import { notKept } from '~/domain/errors.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Examples } from '~/wire/openapi/response.ts'
import { type Document, documentOf, fetchUnderContract } from '../support/contract.ts'
import type { Json } from '../support/json-schema.ts'
import { withoutRoom } from '../support/no-room.ts'
import { World } from '../support/world.ts'
import type { ExampleAccounts } from './example-accounts.ts'
import { recordAlerts } from './example-alerts.ts'
import { exampleScene } from './example-scene.ts'
import { recordStreams } from './example-streams.ts'

const WEEKS_LATER = '2026-03-20T14:25:30.500Z'
/** A body for every response of the document, requested by the document's own examples. */
export async function recordedExamples(): Promise<Examples> {
  const { database, clock, accounts, origin, end } = await exampleScene()
  try {
    const run = new Run(origin, accounts)
    await run.start()
    await run.reads()
    await run.wrongReads()
    await run.recordings()
    await run.withdrawals()
    await recordStreams(run, database, { accounts, nowMs: clock.now() })
    await recordAlerts(run, database)
    await run.refusals()
    await database.sql.begin(async (tx) => {
      await tx`lock table observations, rollups, alerts in access exclusive mode`
      await run.overloads()
    })
    await run.settled()
    await withoutRoom(database.sql, () => run.unrecorded())
    await database.sql`alter table observations rename to moved`
    await run.every('POST', 'anywhere')
    clock.set(WEEKS_LATER)
    await run.every('GET')
    await database.close()
    await run.unloaded()
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const) await run.every(method)
    await run.ahead()
    await run.unknown()
    return accounts.withoutIds(run.examples)
  } finally {
    await end()
  }
}

type Operation = Json & { operationId: string; parameters?: readonly Json[] }
export type Target = { id: string; method: string; path: string; operation: Operation }
type Wish = {
  date?: string
  /** The id of an alert. */
  alert?: string
  query?: object
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

/** The day of the run, whose file is not available yet; and one whose file was never requested. */
const DAY_BEGUN = '2026-03-05'
/** Position of a service that is behind the requested one. */
const STANDING = 43_385_208
const DAY_NOT_ASKED = '2026-03-03'
/** The months whose files are requested with these days. */
const MONTHS: Readonly<Record<string, string>> = {
  [DAY_BEGUN]: '2026-03',
  [DAY_NOT_ASKED]: '2026-01',
}

/** Parameters in addition to the documented examples, to keep responses short. */
const SHORTER: Readonly<Record<string, object>> = {
  getHistory: { period: '90d', limit: 3 },
  getTimeSeries: { period: '7d' },
  getProof: { observation: 1 },
}

/**
 * Parameters of a read that differ from the documented ones, by the example's name; null removes
 * one.
 */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  convertAmount: { recipient_gets: { amount: null, recipient_gets: 30_000 } },
}

/** Reports whether an operation has a parameter. */
const takes = ({ operation }: Target, name: string): boolean =>
  JSON.stringify(operation.parameters ?? []).includes(`"name":"${name}"`)

export class Run {
  readonly examples: Examples = {}
  #targets: Target[] = []

  constructor(
    private readonly origin: string,
    readonly accounts: ExampleAccounts,
  ) {}

  async start(): Promise<void> {
    const { paths } = await documentOf({ fetch: () => fetch(`${this.origin}/openapi.json`) })
    this.#targets = Object.entries(paths as Document['paths']).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        id: operation.operationId as string,
        method: method.toUpperCase(),
        path,
        operation: operation as Operation,
      })),
    )
  }

  /** Every documented read, at both tiers, and some variants. */
  async reads(): Promise<void> {
    for (const target of this.#of('GET').filter(isInJson).filter(isOfRates))
      for (const tier of ['hourly', 'realtime'] as const) {
        const body = await this.ask(target, { key: this.accounts[tier] })
        this.keep(target.id, 200, { [body.data_freshness ?? 'answer']: body })
      }
    for (const target of this.#of('GET'))
      for (const [name, query] of Object.entries(OTHERWISE[target.id] ?? {}))
        this.keep(target.id, 200, {
          [name]: await this.ask(target, { query: { ...queryOf(target), ...query } }),
        })
    for (const target of this.#of('GET').filter(isInJson))
      for (const accept of otherMediaOf(target))
        this.keep(target.id, 200, { [accept]: await this.ask(target, { headers: { accept } }) })
  }

  /** Every read with an invalid parameter, if it has one. */
  async wrongReads(): Promise<void> {
    for (const target of this.#of('GET').filter(isOfRates)) {
      if (!isInJson(target)) await this.fail(target, { date: DAY_BEGUN })
      if (target.id === 'getDayFile' || target.id === 'getMonthFile') {
        for (const edition of [0, '1&edition=2']) await this.fail(target, { query: { edition } })
        continue
      }
      const query = queryOf(target)
      const [[name = '', value = ''] = [], [second = ''] = []] = Object.entries(query)
      if (name === '') {
        await this.fail(target, { query: { date: '2026-03-01' } })
        if (target.operation.parameters?.length) await this.fail(target, { query: twice(target) })
        continue
      }
      const { [name]: _, ...rest } = query
      await this.fail(target, { query: rest })
      await this.fail(target, { query: { ...query, ...wrongValue(target) } })
      await this.fail(target, { query: { ...query, ...twice(target) } })
      await this.fail(target, { query: { ...query, to: 'KSH' } })
      if (query.currency) await this.fail(target, { query: { ...query, currency: 'KSH' } })
      await this.fail(target, { query: { ...query, [second]: value } })
      await this.fail(target, { query: { provider: 'nobody' } })
    }
    const proofs = this.target('getProof')
    const rows = [{ observation: 1 }, { observation: 999_999 }, { reference: 999_999 }]
    for (const query of [...rows, { catalogue: 'XXX' }]) await this.fail(proofs, { query })
  }

  /** Every documented body, then invalid bodies. */
  async recordings(): Promise<void> {
    const target = this.target('recordRates')
    const bodies = bodiesOf(target)
    for (const [name, body] of Object.entries(bodies))
      this.keep(target.id, 201, { [name]: await this.ask(target, { body }) })
    const [row] = Object.values(bodies) as [object]
    const headers = { 'idempotency-key': 'batch-17' }
    await this.fail(target, { body: row, key: this.accounts.member })
    await this.fail(target, { body: row, headers: { 'idempotency-key': 'k'.repeat(256) } })
    await this.fail(target, { body: '[{"provider_id": ' })
    await this.fail(target, { body: ' '.repeat(1_048_577) })
    await this.fail(target, { body: [row, { ...row, to: 'KSH', rate: 0 }] })
    await this.ask(target, { body: row, headers })
    await this.fail(target, { body: [row], headers })
    await this.bulkRecordings(row)
  }

  /** A batch that is validated, then recorded; then invalid batches. */
  async bulkRecordings(row: object): Promise<void> {
    const target = this.target('recordRatesBulk')
    const [body] = Object.values(bodiesOf(target))
    const headers = { 'idempotency-key': 'bulk-17' }
    this.keep(target.id, 200, {
      batch: await this.ask(target, { body, headers, query: {} }),
      dry_run: await this.ask(target, { body, query: { dry_run: 'true' } }),
    })
    await this.fail(target, { body, query: {}, key: this.accounts.member })
    await this.fail(target, { body, query: { time_zone: 'Africa/Lagos' } })
    await this.fail(target, { body, query: { dry_run: 'true&dry_run=true' } })
    await this.fail(target, { body: '[{"provider_id": ', query: {} })
    await this.fail(target, { body: ' '.repeat(8 * 1_048_576 + 1), query: {} })
    await this.fail(target, { body: [row, { ...row, to: 'KSH', rate: 0 }], query: {} })
    await this.fail(target, { body: [row], headers, query: {} })
  }

  /** Withdraws what was recorded by mistake; then what cannot be withdrawn. */
  async withdrawals(): Promise<void> {
    const target = this.target('withdrawRates')
    const { batch } = bodiesOf(this.target('recordRates'))
    const { ids } = await this.ask(this.target('recordRates'), { body: batch })
    const [[name, body]] = Object.entries(bodiesOf(target)) as [[string, object]]
    const wish = { ...body, observations: ids }
    this.keep(target.id, 200, { [name]: await this.ask(target, { body: wish }) })
    await this.fail(target, { body: wish, key: this.accounts.member })
    await this.fail(target, { body })
    await this.fail(target, { body: { observations: ids } })
    await this.fail(target, { body: ' '.repeat(16_385) })
  }

  /** Records the refusals that are the same for every operation. */
  async refusals(): Promise<void> {
    const target = this.target('getRates')
    const unknown = newApiKey((count) => new Uint8Array(count).fill(7))
    for (const key of ['', unknown, this.accounts.revoked])
      await this.fail(target, { key }, 'anywhere')
    await this.fail({ ...target, method: 'DELETE' }, {}, 'anywhere')
    while (!this.examples.anywhere?.[429]?.too_many_failures)
      await this.fail(target, { key: '' }, 'anywhere')
    while (!this.examples.anywhere?.[429]?.quota_exceeded)
      await this.fail(target, { key: this.accounts.hourly }, 'anywhere')
  }

  /** Each operation that waits for the database, more often at once than the service allows. */
  async overloads(): Promise<void> {
    for (const target of this.#targets) {
      const responses = target.operation.responses as Record<string, unknown>
      if (!JSON.stringify(responses[503] ?? '').includes('overloaded')) continue
      if (takes(target, 'min_position')) continue
      const body = Object.values(bodiesOf(target))[0]
      const wish = body ? { body } : { date: DAY_NOT_ASKED }
      const asks = Array.from({ length: 12 }, () => this.ask(target, wish))
      this.#pending.push(...asks)
      // Others wait, on a slow machine too long, and one may end before the refusal arrives.
      const refusals = asks.map(async (ask) => {
        const reply = await ask
        return reply.code === 'overloaded' ? reply : Promise.reject(new Error(reply.code))
      })
      const refused = await Promise.any(refusals)
      this.keep(target.id, refused.status, { [refused.code]: refused })
    }
  }

  /** Waits for all pending requests, so that none disturbs the next. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.splice(0))
  }

  /** Each of these operations as documented, for its current failures. */
  async every(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', id?: string): Promise<void> {
    for (const target of this.#of(method))
      await this.fail(target, { body: Object.values(bodiesOf(target))[0] }, id)
  }

  /** Records a batch for which the database has no room. */
  async unrecorded(): Promise<void> {
    for (const id of ['recordRates', 'recordRatesBulk']) {
      const target = this.target(id)
      await this.fail(target, { query: {}, body: Object.values(bodiesOf(target))[0] })
    }
  }

  /** Reads from memory that could not load a part of the database. */
  async unloaded(): Promise<void> {
    const world = new World()
    const [reads, key] = [this.#of('GET'), world.key()]
    const missing = new Set(
      reads.map(queryOf).map(({ from, to }) => `${from}/${to}`.split(',')[0]!),
    )
    world.memory.publish({ missing }, world.clock.now())
    for (const target of reads) {
      if (!JSON.stringify(target.operation.responses).includes('database_unavailable')) continue
      if (this.examples[target.id]?.[503]?.database_unavailable) continue
      const query = new URLSearchParams(queryOf(target) as Record<string, string>)
      const { status, body } = await world.get(`${target.path}?${query}`, key)
      if (body.code === 'database_unavailable') this.keep(target.id, status, { [body.code]: body })
    }
  }

  /** Reads with a position from another process that has not arrived here yet. */
  async ahead(): Promise<void> {
    const world = new World()
    const key = world.key()
    world.memory.positions.reach(STANDING)
    const ask = async (target: Target) => {
      const query = new URLSearchParams(queryOf(target) as Record<string, string>)
      query.set('min_position', String(STANDING + 1))
      const { status, body } = await world.get(`${target.path}?${query}`, key)
      this.keep(target.id, status, { [body.code]: body })
    }
    const isAsked = ({ operation }: Target) =>
      JSON.stringify(operation.responses).includes('replica_behind')
    await Promise.all(this.#of('GET').filter(isAsked).map(ask))
  }

  /** Requests with `known_at` whose data is deleted or unavailable. */
  async unknown(): Promise<void> {
    const world = new World()
    const key = world.key()
    const keptMs = Date.parse('2026-02-01T00:00:00.000Z')
    for (const target of this.#of('GET').filter((one) => takes(one, 'known_at'))) {
      const query = new URLSearchParams(queryOf(target) as Record<string, string>)
      query.set('known_at', '2026-01-05T14:00:00.000Z')
      const isHot = takes(target, 'min_position')
      const busy = new WorkLimit({ runningMax: 0, waitingMax: 0 })
      for (const fault of [
        () => Promise.reject(notKept(keptMs)),
        () => busy.run(async () => null),
      ]) {
        world.known = { at: fault as never }
        const { status, body } = await world.get(`${target.path}?${query}`, key)
        if (status === 400 || isHot) this.keep(target.id, status, { [body.code]: body })
      }
    }
  }

  /** The operation of this id. */
  target(id: string): Target {
    return this.#targets.find((one) => one.id === id)!
  }

  readonly #pending: Promise<unknown>[] = []
  readonly #of = (wanted: string) => this.#targets.filter(({ method }) => method === wanted)

  /** Keeps the response as an error, by its code. */
  async fail(target: Target, wish: Wish, id = target.id): Promise<void> {
    const body = await this.ask(target, wish)
    const isOwn = body.code !== 'internal_error' || id !== target.id
    if (body.code && isOwn) this.keep(id, body.status, { [body.code]: body })
  }

  // biome-ignore lint/suspicious/noExplicitAny: a response can be anything
  async ask(target: Target, { date, alert, query, key, body, headers }: Wish): Promise<any> {
    const parameters = Object.entries(query ?? queryOf(target)).filter(
      ([, value]) => value !== null,
    )
    const text = parameters.map(([name, value]) => `${name}=${value}`).join('&')
    const part = alert ?? date ?? String(dateOf(target)?.example)
    const month = MONTHS[date ?? ''] ?? '2026-02'
    const path = target.path.replace('{month}', month).replace(/{\w+}/, part)
    const request = new Request(`${this.origin}/api/v1${path}?${text}`, {
      method: target.method,
      headers: {
        'x-api-key': key ?? this.accounts.realtime,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const response = await fetchUnderContract(this.origin)(request)
    const type = response.headers.get('content-type')
    if (type === 'text/event-stream') return (await response.body?.cancel()) ?? {}
    if (type !== 'application/json') return response.text()
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer: any = await response.json()
    return Object.defineProperty(answer, 'status', { value: answer.status ?? response.status })
  }

  /** Opens a stream until the signal ends it. */
  async open({ path }: Target, key: string, signal: AbortSignal): Promise<void> {
    const url = `${this.origin}/api/v1${path}?corridors=GBP/KES`
    const { body } = await fetch(url, { headers: { 'x-api-key': key }, signal })
    await body!.getReader().read()
  }

  keep(id: string, status: number, example: Record<string, unknown>): void {
    const held = this.examples[id] ?? {}
    this.examples[id] = { ...held, [status]: { ...held[status], ...example, ...held[status] } }
  }
}

/** The documented examples of an operation's required parameters. */
function queryOf({ id, operation }: Target): Record<string, unknown> {
  const required = (operation.parameters ?? []).filter(
    ({ example, in: place }) => place !== 'path' && example !== undefined,
  )
  const examples = required.map(({ name, example }) => [name, String(example)])
  return { ...Object.fromEntries(examples), ...SHORTER[id] }
}

/** Reports whether an operation needs no existing alert or stream. */
const isOfRates = ({ path }: Target): boolean => !/^\/(alerts|stream)/.test(path)

/** The parameter in the path of an operation. */
const dateOf = ({ operation }: Target) =>
  operation.parameters?.find(({ in: place }) => place === 'path')

function isInJson({ operation }: Target): boolean {
  const { 200: success } = operation.responses as Record<string, { content: object }>
  return success !== undefined && 'application/json' in success.content
}

/** The media other than JSON that an operation can return. */
function otherMediaOf({ operation }: Target): string[] {
  const { 200: success } = operation.responses as Record<string, { content: object }>
  return Object.keys(success?.content ?? {}).filter((type) => type !== 'application/json')
}

export function bodiesOf({ operation }: Target): Record<string, unknown> {
  if (!operation.requestBody) return {}
  const { content } = operation.requestBody as { content: Record<string, { examples: Json }> }
  const examples = Object.entries(content['application/json']!.examples)
  return Object.fromEntries(examples.map(([name, example]) => [name, (example as Json).value]))
}

/** A repeated parameter that may be given only once, if there is one. */
function twice({ operation: { parameters = [] } }: Target): Record<string, string> {
  const single = parameters.find(({ schema }) => (schema as Json).type !== 'array')
  return single
    ? { [`${single.name}=${single.example}&${single.name}`]: String(single.example) }
    : {}
}

/** A value that a parameter of the operation cannot have. */
function wrongValue({ operation: { parameters = [] } }: Target): Record<string, string> {
  const bounded = parameters.findLast(({ schema }) => {
    const { type, enum: words, format } = schema as Json
    return type === 'number' || type === 'integer' || words || format === 'date'
  })
  return { [String((bounded ?? parameters[0])?.name)]: bounded ? '-1' : '' }
}
