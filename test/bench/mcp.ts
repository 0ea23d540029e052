import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { keyOf } from './accounts.ts'
import { dataset } from './dataset.ts'
import { bareMcpServer } from './http/servers.ts'
import { answersPerSecond } from './load.ts'
import { serve } from './process.ts'
import { type Figure, median } from './table.ts'

const CONNECTIONS = 16
/** Twelve quotes in each corridor. */
const LIVE_QUOTES = 1152

const NAME = 'get_rates'
const CALL = { name: NAME, arguments: { from: 'USD', to: 'KES' } }

/** Headers and parameters of a call in each revision. */
const REVISIONS = {
  '2025-11-25': { headers: ['MCP-Protocol-Version: 2025-11-25'], params: CALL },
  '2026-07-28': {
    headers: ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', `Mcp-Name: ${NAME}`],
    params: {
      ...CALL,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
} as const

type Scene = { readonly database: Database; readonly url: string }
type Sizes = {
  readonly rounds: number
  readonly seconds: number
  /** Time, about 30,000 calls, until both ends are fully compiled. */
  readonly warmingSeconds: number
}

/**
 * Calls a second of `tools/call get_rates` by each revision of the protocol, against the SDK's
 * handler that returns the same result without any work.
 */
export async function mcp(
  { database, url }: Scene,
  { rounds, ...sizes }: Sizes,
): Promise<Figure[]> {
  await fill(database)
  const key = await keyOf(database)
  const service = await serve({ DATABASE_URL: url, QUOTA_ENTERPRISE: '1000000000' })
  const { origin } = new URL(service.url)
  const bare = await bareMcpServer(await resultOf(origin, key))
  const figures: Figure[] = []
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const measured = { own: [] as number[], bare: [] as number[] }
    const ends = { own: origin, bare: bare.origin }
    for (let round = 0; round <= rounds; round++)
      for (const name of ['own', 'bare'] as const) {
        const request = toolCall(ends[name], key, revision)
        const load = { origin: ends[name], request, connections: CONNECTIONS }
        const seconds = round === 0 ? sizes.warmingSeconds : sizes.seconds
        const perSecond = await answersPerSecond({ ...load, seconds })
        if (round > 0) measured[name].push(perSecond)
      }
    figures.push({
      what: `tools/call ${NAME} by ${revision}, ${CONNECTIONS} connections`,
      value: median(measured.own),
      unit: 'calls/s',
      beside: { what: "the SDK's handler alone", value: median(measured.bare) },
      goal: 'at least 0.7',
    })
  }
  await bare.stop()
  await service.stop()
  return figures
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

const bodyOf = (revision: keyof typeof REVISIONS): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: REVISIONS[revision].params,
  })

async function resultOf(origin: string, key: string): Promise<object> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': key,
  }
  const body = bodyOf('2025-11-25')
  const reply = await fetch(`${origin}/mcp`, { method: 'POST', headers, body })
  return ((await reply.json()) as { result: object }).result
}

function toolCall(origin: string, key: string, revision: keyof typeof REVISIONS): string {
  const body = bodyOf(revision)
  return [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(origin).host}`,
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...REVISIONS[revision].headers,
    `Content-Length: ${body.length}\r\n\r\n${body}`,
  ].join('\r\n')
}
