import { describe, expect, test } from 'bun:test'
import { API, ORIGIN, replyOf, World } from '../../support/world.ts'

const SHOP = 'https://shop.example'
const LOCAL = 'http://localhost:6274'
const TOOLS = `${ORIGIN}/mcp`
const ASKED = { 'access-control-request-method': 'POST' }

/** Every cross-origin header of a response. */
async function sharingOf(
  world: World,
  url: string,
  init: RequestInit,
): Promise<Record<string, unknown>> {
  const { status, headers } = await replyOf(await world.app.handle(new Request(url, init)))
  const own = [...headers].filter(
    ([name]) => name.startsWith('access-control') || ['vary', 'allow'].includes(name),
  )
  return { status, ...Object.fromEntries(own) }
}

const REST_READ =
  'content-digest, content-disposition, etag, link, ratelimit, ratelimit-policy, retry-after, ' +
  'signature, signature-input, x-as-of, x-corridor-position, ' +
  'www-authenticate, x-data-freshness, x-mid-fetched-at, x-mid-rate, x-mid-source, ' +
  'x-note, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id'
const REST_SENT =
  'accept-signature, authorization, content-type, idempotency-key, if-none-match, last-event-id, ' +
  'traceparent, tracestate, x-api-key, x-request-id'
const TOOLS_READ =
  'ratelimit, ratelimit-policy, retry-after, www-authenticate, x-ratelimit-limit, ' +
  'x-ratelimit-remaining, x-ratelimit-reset, x-request-id'
const TOOLS_SENT =
  'accept, authorization, content-type, mcp-method, mcp-name, mcp-protocol-version, traceparent, ' +
  'tracestate, x-api-key, x-request-id'
const TOOLS_METHODS = 'POST, OPTIONS'

describe('headers for other origins', () => {
  test('of the API, where origins are listed', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    const headers = { origin: SHOP }
    const shared = {
      'access-control-allow-origin': SHOP,
      'access-control-expose-headers': REST_READ,
      vary: 'Origin',
    }
    expect(await sharingOf(world, `${API}/status`, { headers })).toEqual({ status: 200, ...shared })
    const preflight = { method: 'OPTIONS', headers: { ...headers, ...ASKED } }
    expect(await sharingOf(world, `${API}/rates`, preflight)).toEqual({
      status: 204,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': REST_SENT,
      'access-control-max-age': '600',
      ...shared,
    })
  })

  test('of the API, where all are allowed', async () => {
    const world = new World({ corsOrigins: ['*'] })
    expect(await sharingOf(world, `${API}/status`, { headers: { origin: SHOP } })).toEqual({
      status: 200,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': REST_READ,
    })
  })

  test.each([[[]], [[SHOP]], [['*']]])(
    'of the tool server, where the API allows %j',
    async (corsOrigins) => {
      const world = new World({ corsOrigins })
      const shared = {
        'access-control-allow-origin': LOCAL,
        'access-control-expose-headers': TOOLS_READ,
        vary: 'Origin',
      }
      const headers = { origin: LOCAL }
      expect(await sharingOf(world, TOOLS, { method: 'POST', headers })).toEqual({
        status: 401,
        ...shared,
      })
      expect(await sharingOf(world, TOOLS, { method: 'OPTIONS', headers })).toEqual({
        status: 204,
        allow: TOOLS_METHODS,
        'access-control-allow-methods': TOOLS_METHODS,
        'access-control-allow-headers': TOOLS_SENT,
        'access-control-max-age': '600',
        ...shared,
      })
    },
  )

  test('of the tool server for callers without an origin, and for a forbidden one', async () => {
    const world = new World({ corsOrigins: ['*'] })
    expect(await sharingOf(world, TOOLS, { method: 'OPTIONS' })).toEqual({
      status: 204,
      allow: TOOLS_METHODS,
      'access-control-allow-methods': TOOLS_METHODS,
      'access-control-allow-headers': TOOLS_SENT,
      'access-control-max-age': '600',
    })
    const headers = { origin: 'https://evil.example' }
    expect(await sharingOf(world, TOOLS, { method: 'OPTIONS', headers })).toEqual({ status: 403 })
  })
})
