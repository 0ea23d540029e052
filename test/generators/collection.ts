import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { exampleScene } from '../contract/example-scene.ts'
import { sealAll } from '../store/evidence/scene.ts'
import { withAlert } from './alert.ts'
import { COLLECTION_FILE, collectionText } from './postman.ts'
import { HANG_MS, toolbox } from './toolbox.ts'

setDefaultTimeout(HANG_MS)

type Named = { key: string; value: string; disabled?: boolean }
/** A request, as Postman's own library reads it; `url` has the enabled parameters. */
type Item = {
  name: string
  request: {
    method: string
    url: { toString(): string }
    toJSON(): { header?: Named[]; body?: { raw?: string } }
  }
  getAuth(): { toJSON(): { type: string; apikey?: Named[] } }
}
type Collection = new (written: object) => { forEachItem(visit: (item: Item) => void): void }

describe('the Postman collection', () => {
  let scene: Awaited<ReturnType<typeof exampleScene>>

  beforeAll(async () => {
    await toolbox()
    scene = await exampleScene()
    await sealAll(scene.database, { nowMs: scene.clock.now(), leavesMax: 20_000 })
  })
  afterAll(() => scene.end())

  test('matches the current document; if not, run: bun run postman', async () => {
    expect(await collectionText()).toBe(await Bun.file(COLLECTION_FILE).text())
  })

  test('can be sent as it is, once its key is filled in', async () => {
    const written = await (await fetch(`${scene.origin}/postman.json`)).json()
    const library = createRequire(join(await toolbox(), 'package.json'))
    const { Collection }: { Collection: Collection } = library('postman-collection')
    const given = written.variable.map(({ key, value }: Named) => [key, value])
    const values: Record<string, string> = {
      ...Object.fromEntries(given),
      apiKey: scene.accounts.realtime,
    }
    const filled = (text: string) =>
      text.replace(/{{(\w+)}}/g, (_match, name: string) => values[name] ?? '')
    const items: Item[] = []
    new Collection(written).forEachItem((item) => void items.push(item))
    expect(items.length).toBeGreaterThan(15)
    for (const item of items) {
      const { method, url } = item.request
      const { header = [], body } = item.request.toJSON()
      const { type, apikey = [] } = item.getAuth().toJSON()
      const part = (name: string) => filled(apikey.find(({ key }) => key === name)?.value ?? '')
      const sent = header.filter(({ disabled }) => !disabled)
      const headers = new Headers(sent.map(({ key, value }) => [key, value] as [string, string]))
      if (type === 'apikey') headers.set(part('key'), part('value'))
      const { status, body: answer } = await fetch(await withAlert(filled(url.toString()), scene), {
        method,
        headers,
        ...(body?.raw && { body: await withAlert(body.raw, scene) }),
      })
      await answer?.cancel()
      const outcome = status === 200 || status === 201 ? 'done' : status
      expect([item.name, outcome]).toEqual([item.name, 'done'])
    }
  })
})
