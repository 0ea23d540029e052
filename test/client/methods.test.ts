import { describe, expect, test } from 'bun:test'
import type { Document } from '../support/contract.ts'
import type { Json } from '../support/json-schema.ts'
import { clientDocument, entriesOf } from './client-document.ts'
import { clientSource } from './methods.ts'

const JSON_200 = { 200: { content: { 'application/json': { schema: {} } } } }
const CSV_TOO = {
  200: { headers: {}, content: { 'application/json': { schema: {} }, 'text/csv': { schema: {} } } },
  304: { description: 'Unchanged.' },
}

const documentOf = (paths: Record<string, Record<string, Json>>): Document => ({
  servers: [{ url: '/api/v1' }],
  components: { headers: { ETag: {} }, responses: {} },
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { operationId: 'it', summary: 'Does it', description: 'At once.', ...operation },
        ]),
      ),
    ]),
  ),
})

/** The method that the client gets for one operation. */
const methodOf = (method: string, operation: Json, path = '/it'): string => {
  const source = clientSource(documentOf({ [path]: { [method]: operation } }))
  return source.slice(source.indexOf('  it('), source.indexOf('\n}\n\nexport'))
}

const parameter = (name: string, place = 'query', required = false) => ({
  ...{ name, in: place, required },
})

describe('the method of an operation', () => {
  test('takes parameters only if there are some, and may omit them if none is required', () => {
    expect(methodOf('get', { responses: JSON_200 })).toBe(
      "  it(options?: CallOptions): Promise<AnswerOf<'it'>> {\n" +
        "    return this.call({ method: 'GET', path: '/it' }, options)\n  }",
    )
    const optional = methodOf('get', { parameters: [parameter('a')], responses: JSON_200 })
    expect(optional).toStartWith("  it(parameters?: ParametersOf<'it'>, options?: CallOptions)")
    const required = { parameters: [parameter('a', 'path', true)], responses: JSON_200 }
    expect(methodOf('get', required, '/it/{a}')).toStartWith(
      "  it(parameters: ParametersOf<'it'>, options?: CallOptions): Promise<AnswerOf<'it'>> {\n" +
        "    return this.call({ method: 'GET', path: '/it/{a}', parameters }, options)",
    )
  })

  test('sets headers by itself', () => {
    const parameters = [
      parameter('If-None-Match', 'header'),
      parameter('Idempotency-Key', 'header'),
    ]
    const operation = { parameters, requestBody: {}, responses: JSON_200 }
    expect(methodOf('post', operation)).toStartWith(
      "  it(body: BodyOf<'it'>, options?: RecordingOptions): Promise<AnswerOf<'it'>> {\n" +
        "    return this.call({ method: 'POST', path: '/it', body, isKeyed: true }, options)",
    )
  })

  test('takes parameters before a body, and requires them then', () => {
    const operation = { parameters: [parameter('dry')], requestBody: {}, responses: JSON_200 }
    expect(methodOf('post', operation)).toStartWith(
      "  it(parameters: ParametersOf<'it'>, body: BodyOf<'it'>, options?: CallOptions): ",
    )
  })

  test('returns nothing for no content, and the response itself if it is not JSON', () => {
    expect(methodOf('delete', { responses: { 204: {} } })).toContain('Promise<void> {')
    const file = { responses: { 200: { content: { 'text/csv': {} } } } }
    expect(methodOf('get', file)).toBe(
      '  it(options?: CallOptions): Promise<Response> {\n' +
        "    return this.call({ method: 'GET', path: '/it', isRaw: true }, options)\n  }",
    )
  })

  test('has a method for its pages if it returns pages', () => {
    const schema = { type: 'object', properties: { has_more: {} } }
    const responses = { 200: { content: { 'application/json': { schema } } } }
    const paged = methodOf('get', {
      responses,
      parameters: ['offset', 'until'].map((n) => parameter(n)),
    })
    expect(paged).toContain('  itPages(parameters?: ')
    expect(paged).toContain('(page: ParametersOf<')
    expect(methodOf('get', { responses, parameters: [parameter('offset')] })).not.toContain('Pages')
  })

  test('iterates events if the response is a stream', () => {
    const responses = { 200: { content: { 'text/event-stream': {} } } }
    const parameters = [parameter('corridors', 'query', true), parameter('token')]
    expect(methodOf('get', { responses, parameters })).toBe(
      "  it(corridors: readonly string[] | '*', options?: StreamOptions): " +
        'AsyncGenerator<StreamEvent, void, void> {\n' +
        "    return this.events({ method: 'GET', path: '/it', parameters: { corridors } }, options)\n  }",
    )
  })

  test('cannot be generated for operations that no program sends', () => {
    expect(() => methodOf('trace', { responses: JSON_200 })).toThrow('it: the client cannot send')
  })

  test('has the words of the document in lines that fit, and none that ends the comment', () => {
    const description = `${'word '.repeat(40)}*/ end\n\nCosts nothing.`
    const source = clientSource(
      documentOf({ '/it': { get: { description, responses: JSON_200 } } }),
    )
    expect(source).toContain('   * Does it.\n   *\n   * word word')
    expect(source).toContain('word * / end\n   *\n   * Costs nothing.\n   */\n  it(')
    expect(source.split('\n').filter((line) => line.length > 100)).toEqual([])
  })
})

describe('the document for the client', () => {
  test('describes only JSON if there is JSON, and no header', () => {
    const parameters = [
      parameter('format'),
      parameter('from'),
      parameter('If-None-Match', 'header'),
    ]
    const document = clientDocument(
      documentOf({ '/it': { get: { parameters, responses: CSV_TOO } } }),
    )
    const [{ operation }] = entriesOf(document) as [ReturnType<typeof entriesOf>[number]]
    expect(operation.parameters.map(({ name }) => name)).toEqual(['from'])
    expect(operation.responses).toEqual(JSON_200)
    expect(document.components).toEqual({ responses: {} })
  })

  test('keeps the parameters of a response that is not JSON', () => {
    const responses = { 200: { content: { 'text/csv': {} } } }
    const parameters = [parameter('format')]
    const document = clientDocument(documentOf({ '/it': { get: { parameters, responses } } }))
    expect(entriesOf(document)[0]!.operation.parameters).toEqual(parameters)
  })
})
