import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Sampling } from '~/domain/sampling.ts'
import { Spans } from '~/telemetry/spans.ts'
import { answerable } from '../http/questions.ts'
import { KeptLog } from '../support/log.ts'
import { Collector } from './collector.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const SERVER = 2

let collector: Collector
let log: KeptLog
let spans: Spans

beforeEach(() => {
  collector = new Collector()
  log = new KeptLog()
  spans = new Spans({ url: collector.url, version: '1.2.3', log })
})
afterEach(async () => {
  await spans.stop()
  await collector.stop()
})

const ask = (path: string, headers: Record<string, string> = {}) => {
  const world = answerable({ tracing: spans })
  return world.get(path, world.key(), { headers })
}

describe('a traced request', () => {
  test('arrives as one span of the server, with route, status and request id', async () => {
    await ask('/rates?from=USD&to=KES', { 'x-request-id': 'mine' })
    await spans.stop()
    const rates = collector.spans.filter(({ name }) => name === 'GET /api/v1/rates')
    expect(rates).toEqual([
      expect.objectContaining({
        kind: SERVER,
        parentSpanId: null,
        isFailed: false,
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/api/v1/rates',
          'http.response.status_code': 200,
          'corridor.request_id': 'mine',
        },
      }),
    ])
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'corridor',
      'service.version': '1.2.3',
    })
  })

  test('continues the trace of a caller that sends traceparent', async () => {
    await ask('/change?from=USD&to=KES', { traceparent: `00-${TRACE}-${PARENT}-01` })
    await spans.stop()
    const { traceId, parentSpanId } = await collector.span('GET /api/v1/change')
    expect([traceId, parentSpanId]).toEqual([TRACE, PARENT])
  })

  test("is not sent if the caller's trace is not sampled", async () => {
    await ask('/status', { traceparent: `00-${TRACE}-${PARENT}-00` })
    await spans.stop()
    expect(collector.spans.filter(({ name }) => name === 'GET /api/v1/status')).toEqual([])
  })

  test.each(['', 'nonsense', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`])(
    'begins a trace of its own if traceparent is %p',
    async (traceparent) => {
      await ask('/status', { traceparent })
      await spans.stop()
      const { traceId, parentSpanId } = await collector.span('GET /api/v1/status')
      expect(traceId).toMatch(/^[0-9a-f]{32}$/)
      expect([traceId === TRACE, parentSpanId]).toEqual([false, null])
    },
  )

  test('contains nothing that a caller wrote except its request id', async () => {
    const key = 'crd_strangers'
    const world = answerable({ tracing: spans })
    for (const path of [`/rates?from=${key}`, `/${key}`, `/rates?token=${key}`])
      await world.get(path, key, { headers: { authorization: key, cookie: key } })
    await spans.stop()
    expect(collector.spans.length).toBeGreaterThan(1)
    expect(JSON.stringify(collector.spans)).not.toContain(key)
  })
})

test('sends the configured headers to the collector', async () => {
  const shown = { 'x-tenant': 'corridor', authorization: 'Bearer abc' }
  const own = new Spans({ url: collector.url, headers: shown, version: '1.2.3', log })
  await own.within('work', {}, async () => {})
  await own.stop()
  const { headers } = collector
  expect([headers.get('x-tenant'), headers.get('authorization')]).toEqual([
    'corridor',
    'Bearer abc',
  ])
  expect(headers.get('content-type')).toBe('application/json')
})

/** Sends `count` spans, each of a trace of its own or below a caller's; returns how many arrive. */
async function arrived(sampling: Sampling, count: number, traceparent?: string): Promise<number> {
  const own = new Spans({ url: collector.url, version: '1.2.3', sampling, log })
  const world = answerable({ tracing: own })
  const headers: Record<string, string> = traceparent ? { traceparent } : {}
  for (let i = 0; i < count; i++) await world.get('/status', undefined, { headers })
  await own.stop()
  return collector.spans.splice(0).length
}

describe('what is sampled', () => {
  const ALL = 200
  const SAMPLED = `00-${TRACE}-${PARENT}-01`
  const LEFT_OUT = `00-${TRACE}-${PARENT}-00`

  test.each([
    ['always_on', [ALL, ALL, ALL]],
    ['always_off', [0, 0, 0]],
    ['parentbased_always_on', [ALL, ALL, 0]],
    ['parentbased_always_off', [0, ALL, 0]],
  ] as const)('%s: by itself, below a sampled caller, below another', async (sampler, counts) => {
    const sampling = { sampler, share: 0.5 }
    const found = []
    for (const caller of [undefined, SAMPLED, LEFT_OUT])
      found.push(await arrived(sampling, ALL, caller))
    expect(found).toEqual([...counts])
  })

  test.each(['traceidratio', 'parentbased_traceidratio'] as const)(
    '%s: a share of the traces, all or none of them at its ends',
    async (sampler) => {
      const half = await arrived({ sampler, share: 0.5 }, ALL)
      expect(half).toBeGreaterThan(ALL / 4)
      expect(half).toBeLessThan((3 * ALL) / 4)
      expect(await arrived({ sampler, share: 1 }, ALL)).toBe(ALL)
      expect(await arrived({ sampler, share: 0 }, ALL)).toBe(0)
    },
  )

  test('applies the share to new traces only if caller decisions are respected', async () => {
    expect(await arrived({ sampler: 'parentbased_traceidratio', share: 0 }, 3, SAMPLED)).toBe(3)
  })
})

test('gives every process an instance of its own, under the configured name', async () => {
  const others = [1, 2].map(
    () => new Spans({ url: collector.url, version: '1', service: 'x', log }),
  )
  for (const other of others) {
    await other.within('work', {}, async () => {})
    await other.stop()
  }
  const ids = collector.resources.map((resource) => resource['service.instance.id'])
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(collector.resources[0]!['service.name']).toBe('x')
})

describe('work in a span', () => {
  test('is a child of its own request, alongside other requests at the same time', async () => {
    const requests = ['one', 'two'].map((name) => ({
      label: { method: 'GET', route: `/${name}` } as const,
      requestId: name,
      request: new Request(`http://localhost/${name}`),
      async work() {
        await Bun.sleep(5)
        await spans.within(`database ${name}`, { rows: 2 }, () => Bun.sleep(5))
        return new Response(null, { status: 503 })
      },
    }))
    await Promise.all(requests.map((request) => spans.served(request)))
    await spans.stop()
    for (const name of ['one', 'two']) {
      const outer = await collector.span(`GET /${name}`)
      const inner = await collector.span(`database ${name}`)
      expect(inner).toMatchObject({ parentSpanId: outer.spanId, traceId: outer.traceId })
      expect(inner.attributes).toEqual({ rows: 2 })
      expect([outer.isFailed, inner.isFailed]).toEqual([true, false])
    }
  })

  test('names the kind of its error, and passes it on', async () => {
    const error = new TypeError('password=hunter2')
    const work = spans.within('job prune', {}, () => Promise.reject(error))
    await expect(work).rejects.toBe(error)
    await spans.stop()
    const [span] = collector.spans
    expect(span).toMatchObject({ isFailed: true, attributes: { 'error.type': 'TypeError' } })
    expect(JSON.stringify(collector.spans)).not.toContain('hunter2')
  })
})

describe('a collector that refuses everything', () => {
  test('is reported once, and delays no request', async () => {
    collector.status = 400
    const world = answerable({ tracing: spans })
    for (let i = 0; i < 1500; i++) expect((await world.get('/status')).status).toBe(200)
    await spans.stop()
    expect(log.said).toEqual(['warn: traces cannot be sent; they are dropped'])
  })

  test('does not keep the service from stopping', async () => {
    await collector.stop()
    await ask('/status')
    const startMs = performance.now()
    await spans.stop()
    expect(performance.now() - startMs).toBeLessThan(2000)
  })
})
