import { describe, expect, test } from 'bun:test'
import { answerable } from '../http/questions.ts'
import { Contract, documentOf, type Seen, underContract } from './contract.ts'
import { type Json, SchemaCheck } from './json-schema.ts'
import { API } from './world.ts'

const world = answerable()
const contract = new Contract(await documentOf(world.app))
const url = `${API}/rates?from=USD&to=KES`

async function reply(change: (body: Record<string, unknown>, headers: Headers) => void) {
  const { status, headers, body } = await world.get('/rates?from=USD&to=KES', world.key())
  change(body, headers)
  return { status, headers, text: JSON.stringify(body) }
}

const faults = (seen: Seen, method = 'GET', of = url) => contract.faults({ method, url: of }, seen)

describe('a response under the contract', () => {
  test('has no error as the service gives it', async () => {
    expect(faults(await reply(() => {}))).toEqual([])
  })

  test('has an error if the document does not know a field', async () => {
    const more = await reply((body, headers) => {
      body.extra = 1
      headers.set('etag', '"x"')
    })
    expect(faults(more)).toEqual(['header etag is not documented', '$.extra is not documented'])
  })

  test('has an error if it lacks a field', async () => {
    const less = await reply((body, headers) => {
      delete body.count
      headers.delete('x-ratelimit-limit')
    })
    expect(faults(less)).toEqual(['header X-RateLimit-Limit is missing', '$ lacks count'])
  })

  test('has an error if a value has another type, wherever it is', async () => {
    const odd = await reply((body, headers) => {
      const [provider] = body.providers as Record<string, unknown>[]
      provider!.rate = '129'
      provider!.rate_type = 'black'
      provider!.last_updated = 'yesterday'
      headers.set('x-ratelimit-reset', 'soon')
    })
    expect(faults(odd)).toEqual([
      'X-RateLimit-Reset is null, not integer',
      'X-RateLimit-Reset is null, beyond minimum 0',
      '$.providers[0].rate is "129", not number',
      expect.stringContaining('$.providers[0].rate_type is "black"'),
      '$.providers[0].last_updated is "yesterday", which is no date-time',
    ])
  })

  test('has an error if its status, method, path or type is not documented', async () => {
    const good = await reply(() => {})
    expect(faults({ ...good, status: 418 })).toEqual(['status 418 is not documented'])
    expect(faults(good, 'DELETE')).toEqual(['no such operation'])
    expect(faults(good, 'GET', `${API}/nope`)).toEqual(['no such path'])
    const headers = new Headers({
      ...Object.fromEntries(good.headers),
      'content-type': 'text/html',
    })
    expect(faults({ ...good, headers })).toEqual(['content type text/html is not documented'])
  })

  test('fails the request itself, and with it the test that sent it', async () => {
    const headers = { 'content-type': 'application/json' }
    const drifting = underContract({
      fetch: (request) =>
        request.url.endsWith('/openapi.json')
          ? world.app.fetch(request)
          : new Response('{"status":"fine"}', { headers }),
    })
    const asked = drifting.fetch(new Request(`${API}/status`))
    expect(asked).rejects.toThrow('$.status is "fine", none of ok,degraded')
  })
})

describe('SchemaCheck', () => {
  const check = new SchemaCheck({})
  const isAtFault = (schema: Json, value: unknown) => check.faults(schema, value).length > 0

  test.each([
    [{ type: ['number', 'null'] }, null, 'x'],
    [{ type: 'integer' }, 3, 3.5],
    [{ type: 'array', items: { type: 'string' }, maxItems: 2 }, ['a', 'b'], ['a', 'b', 'c']],
    [{ type: 'array', minItems: 1 }, [0], []],
    [{ uniqueItems: true }, ['a', 'b'], ['a', 'a']],
    [{ enum: ['a', 'b'] }, 'b', 'c'],
    [{ const: 'a' }, 'a', 'b'],
    [{ minimum: 1 }, 1, 0.9],
    [{ maximum: 1 }, 1, 1.1],
    [{ exclusiveMinimum: 0 }, 0.1, 0],
    [{ minLength: 1 }, 'ä', ''],
    [{ maxLength: 1 }, '😀', 'ab'],
    [{ pattern: '^[a-z]+$' }, 'abc', 'aBc'],
    [{ format: 'date' }, '2026-03-05', '2026-13-05'],
    [{ format: 'date-time' }, '2026-03-05T14:00:00.000Z', '2026-03-05'],
    [{ format: 'duration' }, 'P1DT2H', '1 day'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 1],
    [{ oneOf: [{ minimum: 1 }, { minimum: 5 }] }, 3, 7],
    [{ required: ['a'] }, { a: 1 }, { b: 1 }],
    [{ properties: { a: { type: 'string' } } }, { a: 'x', b: 1 }, { a: 1 }],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1 }, { a: 1, b: 1 }],
    [{ additionalProperties: { type: 'number' } }, { a: 1 }, { a: 'x' }],
  ] as [Json, unknown, unknown][])('%j accepts %j and not %j', (schema, good, bad) => {
    expect([isAtFault(schema, good), isAtFault(schema, bad)]).toEqual([false, true])
  })

  test('throws at a keyword that it does not know', () => {
    expect(() => check.faults({ multipleOf: 2 }, 3)).toThrow('multipleOf')
  })
})
