import { describe, expect, test } from 'bun:test'
import { noteOf } from '~/evidence/note-text.ts'
import { proofOf } from '~/evidence/proof.ts'
import { inclusionSpans } from '~/evidence/span.ts'
import { Edge } from '~/evidence/tile.ts'
import { includes, leafHash, spanHash } from '~/evidence/tree.ts'
import type { LogReader } from '~/service/evidence/log.ts'
import { noEvidence } from '../../support/evidence.ts'
import { ORIGIN, World } from '../../support/world.ts'

const HOUR_START = Date.parse('2026-03-05T14:00:00Z')
const ENTRIES = Array.from({ length: 300 }, (_, i) => Buffer.from(`{"id":${i}}`))
const edge = new Edge(0, [])
const TILES = edge.append(ENTRIES.map(leafHash))
const ROOT = edge.root()!
const NOTE = `log.example\n300\n${Buffer.from(ROOT).toString('base64')}\n\n— log.example AAAAAAA=\n`

/** A log of 300 leaves, of which 280 were sealed before the hour; row N is leaf N. */
const LOG: LogReader = {
  head: async () => ({ note: NOTE }),
  sizeAt: async (ms) => (ms === HOUR_START ? 280 : 300),
  async tile(level, index, width) {
    const tile = TILES.find((one) => one.level === level && one.index === index)
    return tile && tile.hashes.length >= width * 32 ? tile.hashes.subarray(0, width * 32) : null
  },
  entries: async (_, width) => Buffer.alloc(width),
  indexOf: async (kind, id) => (kind !== 'reference' && id < 300 ? id : null),
  has: async (_, id) => id < 400,
  lastChange: async (name) => (name === 'KES' ? 7 : null),
  entryAt: async (index) => ENTRIES[index]!,
  inclusion: (index, size) =>
    Promise.all(
      inclusionSpans(index, size).map((span) =>
        spanHash(span, async (level, at) => {
          const part = new Edge(0, [])
          part.append(ENTRIES.slice(at * 2 ** level, (at + 1) * 2 ** level).map(leafHash))
          return part.root()!
        }),
      ),
    ),
  nextMs: () => Date.parse('2026-03-05T14:26:00Z'),
}

const world = new World({ evidence: LOG })
const file = async (path: string) => world.app.handle(new Request(`${ORIGIN}/log/${path}`))

describe('GET /log/checkpoint', () => {
  test('returns 200 with the newest checkpoint as plain text, for pages of any origin', async () => {
    const reply = await file('checkpoint')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(reply.headers.get('cache-control')).toBe('public, max-age=5')
    expect(noteOf(await reply.text())?.text).toStartWith('log.example\n300\n')
  })

  test('returns 404 before the first seal', async () => {
    const bare = new World({ evidence: noEvidence })
    const reply = await bare.app.handle(new Request(`${ORIGIN}/log/checkpoint`))
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ code: 'unknown_path' })
  })
})

describe('GET /log/tile', () => {
  test('returns 200 with a full or partial tile, cacheable for long', async () => {
    const full = await file('tile/0/000')
    expect((await full.arrayBuffer()).byteLength).toBe(8192)
    expect(full.headers.get('cache-control')).toContain('immutable')
    expect(full.headers.get('content-type')).toBe('application/octet-stream')
    const partial = await file('tile/0/001.p/44')
    expect((await partial.arrayBuffer()).byteLength).toBe(44 * 32)
    expect((await file('tile/0/001.p/10')).status).toBe(200)
  })

  test.each([
    'tile/0/001',
    'tile/0/001.p/45',
    'tile/0/1',
    'tile/9/000',
    'tile/0/x/y',
    'tile/0/-01',
  ])('returns 404 for %s', async (path) => {
    const reply = await file(path)
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ code: 'unknown_path' })
  })

  test('returns entries up to the last seal before the hour', async () => {
    expect((await file('tile/entries/000')).status).toBe(200)
    expect((await file('tile/entries/001.p/24')).status).toBe(200)
    expect((await file('tile/entries/001.p/25')).status).toBe(404)
  })
})

describe('GET /proofs', () => {
  test('returns 200 with a proof that leads to the root, and costs nothing', async () => {
    const key = world.key('enterprise')
    const before = world.meter
    const reply = await world.get('/proofs?observation=299', key)
    expect(reply.status).toBe(200)
    const proof = proofOf(reply.text)!
    const leaf = leafHash(proof.extra!)
    expect(includes({ size: 300, root: ROOT }, { ...proof, leaf })).toBe(true)
    const usage = await world.get('/admin/usage', key)
    expect(usage.body.used).toBe(0)
    expect(world.meter).toBe(before)
  })

  test('returns 404 not_sealed for hourly keys until the hour, with the time', async () => {
    const key = world.key('free')
    expect((await world.get('/proofs?observation=279', key)).status).toBe(200)
    const reply = await world.get('/proofs?observation=280', key)
    expect(reply.status).toBe(404)
    expect(reply.body).toMatchObject({
      code: 'not_sealed',
      available_at: '2026-03-05T15:00:00.000Z',
    })
  })

  test('returns 404 not_sealed until the next seal, with the time', async () => {
    const reply = await world.get('/proofs?observation=350', world.key())
    expect(reply.body).toMatchObject({
      code: 'not_sealed',
      available_at: '2026-03-05T14:26:00.000Z',
    })
  })

  test('returns 404 for a row that does not exist', async () => {
    const key = world.key()
    expect((await world.get('/proofs?observation=400', key)).body.code).toBe('unknown_observation')
    expect((await world.get('/proofs?reference=400', key)).body.code).toBe('unknown_reference')
    expect((await world.get('/proofs?withdrawal=400', key)).body.code).toBe('unknown_observation')
    const { status, body } = await world.get('/proofs?catalogue=KSE', key)
    expect([status, body.code]).toEqual([404, 'unknown_entry'])
  })

  test('returns 200 for a withdrawal, and for the newest change of a catalogue entry', async () => {
    for (const [query, index] of [
      ['withdrawal=12', 12],
      ['catalogue=KES', 7],
      ['catalogue=kes', 7],
    ] as const) {
      const reply = await world.get(`/proofs?${query}`, world.key())
      expect([query, reply.status, proofOf(reply.text)?.index]).toEqual([query, 200, index])
    }
  })

  test.each([
    '',
    '?observation=0',
    '?observation=x',
    '?observation=1&reference=1',
    '?withdrawal=1&catalogue=KES',
    '?catalogue=',
    `?catalogue=${'x'.repeat(101)}`,
    '?reference=1.5',
  ])('returns 400 for %p', async (query) => {
    expect((await world.get(`/proofs${query}`, world.key())).status).toBe(400)
  })

  test('returns 401 without a key', async () => {
    expect((await world.get('/proofs?observation=1')).status).toBe(401)
  })
})
