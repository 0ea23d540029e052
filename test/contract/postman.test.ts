import { describe, expect, test } from 'bun:test'
import { documentOf } from '../support/contract.ts'
import type { Json } from '../support/json-schema.ts'
import { ORIGIN, replyOf, World } from '../support/world.ts'

type Named = { key: string; value: string; disabled?: boolean }
type Sent = {
  method: string
  description: { content: string }
  url: { host: string[]; path: string[]; query: Named[]; variable?: Named[] }
  header: Named[]
  body?: { raw: string }
  auth?: { type: string }
}
type Item = { name: string; item: Item[]; request: Sent }
type Parameter = { name: string; in: string; example?: unknown }

const { app } = new World()
const { paths, tags } = await documentOf(app)
const { body } = await replyOf(await app.handle(new Request(`${ORIGIN}/postman.json`)))
const folders = body.item as Item[]
const requests = folders.flatMap(({ item }) => item.map(({ request }) => request))

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
    parameters: (operation.parameters ?? []) as Parameter[],
  })),
)

/** The operation that a request is of, as the document writes its path. */
const nameOf = ({ method, url }: Sent): string =>
  `${method} /${url.path.join('/').replace(/{{(\w+)}}|:(\w+)/g, (_, a, b) => `{${a ?? b}}`)}`

const requestOf = (wanted: string): Sent => requests.find((sent) => nameOf(sent) === wanted)!

/** Checks the generated file; the job of the generators compares all of it. */
describe('the Postman collection; if it is not so, run: bun run postman', () => {
  test('has every operation of the document, in folders by tag', () => {
    expect(folders.map(({ name }) => name)).toEqual(
      (tags as Json[]).map(({ name }) => String(name)),
    )
    const names = requests.map(nameOf)
    expect(names.sort()).toEqual(operations.map(({ name }) => name).sort())
    for (const { url } of requests) expect(url.host).toEqual(['{{baseUrl}}'])
  })

  test('describes each operation as the document does', () => {
    for (const { name, operation } of operations)
      expect([name, requestOf(name).description.content]).toEqual([
        name,
        String(operation.description),
      ])
  })

  test('has every parameter, and disables the optional ones', () => {
    for (const { name, parameters } of operations) {
      const { url, header } = requestOf(name)
      const at = (place: string) => parameters.filter((parameter) => parameter.in === place)
      expect([name, url.query.map(({ key }) => key)]).toEqual([
        name,
        at('query').map((parameter) => parameter.name),
      ])
      const sent = url.query.filter(({ disabled }) => !disabled)
      expect([name, sent.map(({ key, value }) => [key, value])]).toEqual([
        name,
        at('query')
          .filter(({ example }) => example !== undefined)
          .map((parameter) => [parameter.name, String(parameter.example)]),
      ])
      const { variable } = body as { variable: Named[] }
      for (const { name: part, example } of at('path'))
        expect([...variable, ...(url.variable ?? [])]).toContainEqual(
          expect.objectContaining({ key: part, value: String(example) }),
        )
      const headers = header.map(({ key }) => key)
      for (const parameter of at('header')) expect(headers).toContain(parameter.name)
      expect(header.filter(({ disabled }) => !disabled).map(({ key }) => key)).not.toContain(
        'If-None-Match',
      )
    }
  })

  test('sends a body if there is one, and the key wherever one is accepted', () => {
    for (const { name, operation } of operations) {
      const { body: sent, auth } = requestOf(name)
      expect([name, sent !== undefined]).toEqual([name, operation.requestBody !== undefined])
      const isOpen = (operation.security as unknown[] | undefined)?.length === 0
      expect([name, auth?.type]).toEqual([name, isOpen ? 'noauth' : undefined])
    }
  })
})
