import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '~/portal/words/language.ts'
import { World } from '../../support/world.ts'
import { visit } from '../portal-world.ts'

type Texts = Readonly<Record<'dates' | 'title' | 'seen' | 'unseen', string>>

/** The strings of a worker, and the path of its script. */
async function workerOf(world: World) {
  const { headers, status, text } = await visit(world, '/worker.js')
  const [, texts, path] = /^self\.offline=(.*);importScripts\("(.*)"\)$/.exec(text)!
  return { headers, status, path: path!, texts: JSON.parse(texts!) as Record<string, Texts> }
}

describe('GET /worker.js', () => {
  test('returns 200 with its messages in every language, of when and of which pages', async () => {
    const { status, headers, texts } = await workerOf(new World())
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(Object.keys(texts)).toEqual([...LANGUAGES])
    for (const { dates, title, seen, unseen } of Object.values(texts)) {
      expect(Intl.DateTimeFormat.supportedLocalesOf(dates)).toHaveLength(1)
      expect(seen.match(/\{time\}/g)).toHaveLength(1)
      expect(unseen.match(/<ul[^>]*>\{list\}<\/ul>/g)).toHaveLength(1)
      expect([seen.includes(title), unseen.includes(title)]).toEqual([true, true])
    }
  })

  test('may run our scripts and contact us alone', async () => {
    const { headers } = await workerOf(new World())
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'",
    )
  })

  test('returns 200 with a script that exists, below the path of the service too', async () => {
    for (const [publicUrl, mount] of [
      [undefined, ''],
      ['https://rates.example/fx', '/fx'],
    ] as const) {
      const world = new World(publicUrl ? { publicUrl } : {})
      const { path } = await workerOf(world)
      expect(path).toStartWith(`${mount}/assets/worker-`)
      const script = await visit(world, path.slice(mount.length))
      expect([script.status, script.headers.get('content-type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ])
    }
  })
})
