import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { dataset } from './dataset.ts'
import { answersPerSecond } from './load.ts'
import { command, serve } from './process.ts'
import { type Figure, median } from './table.ts'

const CONNECTIONS = 16
const SECONDS = 3
/** Twelve quotes in each corridor. */
const LIVE_QUOTES = 1152
const QUESTION = { from: 'USD', to: 'KES' }

type Scene = { readonly database: Database; readonly url: string }

/**
 * Calls a second of `tools/call get_rates` without a session, and with one, beside `GET /rates` on
 * the same corridor of the same running service.
 */
export async function mcp(
  { database, url }: Scene,
  { rounds }: { rounds: number },
): Promise<Figure[]> {
  await fill(database)
  const args = ['account', 'create', '--email', 'mcp@example.com', '--plan', 'enterprise']
  const { key } = JSON.parse(await command([...args, '--json'], { DATABASE_URL: url }))
  const service = await serve({ DATABASE_URL: url, QUOTA_ENTERPRISE: '1000000000' })
  const { origin, pathname } = new URL(service.url)
  const session = await opened(origin, key)
  const loads = {
    rest: `GET ${pathname}/rates?from=USD&to=KES HTTP/1.1\r\n${common(origin, key)}\r\n`,
    stateless: toolCall(origin, key),
    session: toolCall(origin, key, `Mcp-Session-Id: ${session}\r\n`),
  }
  const measured = { rest: [] as number[], stateless: [] as number[], session: [] as number[] }
  const load = { origin, connections: CONNECTIONS }
  for (const request of Object.values(loads))
    await answersPerSecond({ ...load, request, seconds: 1 })
  for (let round = 0; round < rounds; round++)
    for (const name of ['rest', 'stateless', 'session'] as const) {
      const request = loads[name]
      measured[name].push(await answersPerSecond({ ...load, request, seconds: SECONDS }))
    }
  await service.stop()
  const beside = { what: 'GET /rates', value: median(measured.rest) }
  const figure = (what: string, values: number[]): Figure => ({
    what: `tools/call get_rates ${what}, ${CONNECTIONS} connections`,
    value: median(values),
    unit: 'calls/s',
    beside,
    goal: 'at least 0.4',
  })
  return [figure('without a session', measured.stateless), figure('in a session', measured.session)]
}

async function fill(database: Database): Promise<void> {
  const data = dataset({ liveQuotes: LIVE_QUOTES, nowMs: Date.now() })
  await createCatalogueStore(database).apply(data)
  const store = createObservationStore(database)
  for (const observations of data.rows(LIVE_QUOTES + 1000 - (LIVE_QUOTES % 1000)))
    await store.record({ observations, idempotency: null })
  const rates = [{ currency: 'KES', perUsd: '129' }]
  await createReferenceStore(database).append({ source: 'bench', fetchedMs: Date.now(), rates })
}

const common = (origin: string, key: string): string =>
  `Host: ${new URL(origin).host}\r\nX-API-Key: ${key}\r\n`

function toolCall(origin: string, key: string, more = ''): string {
  const params = { name: 'get_rates', arguments: QUESTION }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return [
    `POST /mcp HTTP/1.1\r\n${common(origin, key)}${more}Content-Type: application/json`,
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}\r\n\r\n${body}`,
  ].join('\r\n')
}

async function opened(origin: string, key: string): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const reply = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  return reply.headers.get('mcp-session-id')!
}
