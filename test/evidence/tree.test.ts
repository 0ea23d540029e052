import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { consistencySpans, HASH_BYTES, inclusionSpans } from '~/evidence/span.ts'
import { Edge, tileNameOf, tilePath, tileReader, widthIn } from '~/evidence/tile.ts'
import {
  EMPTY_ROOT,
  includes,
  isConsistent,
  leafHash,
  nodeHash,
  spanHash,
} from '~/evidence/tree.ts'

/** The entries of Certificate Transparency's tests, and the roots of their trees. */
const ENTRIES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'))
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The recursion of the RFC, word for word. */
function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT
  if (leaves.length === 1) return leaves[0]!
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => leafHash(Buffer.from(`entry ${i}`)))

/** The tiles of a tree to which leaves were added in portions. */
function tilesOf(leaves: readonly Uint8Array[], portions: readonly number[] = [leaves.length]) {
  const tiles = new Map<string, Uint8Array>()
  const edge = new Edge(0, [])
  let at = 0
  for (const portion of [...portions, leaves.length]) {
    const end = Math.min(leaves.length, at + portion)
    for (const { level, index, hashes } of edge.append(leaves.slice(at, end)))
      tiles.set(`${level} ${index}`, hashes)
    at = end
  }
  const read = tileReader(leaves.length, async (level, index, width) =>
    tiles.get(`${level} ${index}`)!.subarray(0, width * HASH_BYTES),
  )
  return { edge, tiles, read }
}

describe('spanHash', () => {
  test('gives the roots of the RFC 6962 test vectors', async () => {
    expect(hex(EMPTY_ROOT)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    for (const [i, root] of ROOTS.entries()) {
      const leaves = ENTRIES.slice(0, i + 1).map(leafHash)
      const { edge, read } = tilesOf(leaves)
      expect(hex(edge.root()!)).toBe(root)
      expect(hex(await spanHash({ start: 0, end: i + 1 }, read))).toBe(root)
    }
  })
})

const SIZES = [1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 70_000]

describe('Edge', () => {
  test.each(SIZES)('has the root of the recursion at %d leaves', (size) => {
    const leaves = leavesOf(size)
    expect(hex(tilesOf(leaves).edge.root()!)).toBe(hex(rootOf(leaves)))
  })

  test('creates the tiles that the specification counts for 70,000 leaves', () => {
    const { tiles } = tilesOf(leavesOf(70_000))
    const widths = [...tiles].map(([name, hashes]) => [name, hashes.length / HASH_BYTES] as const)
    expect(widths.filter(([name, width]) => name.startsWith('0 ') && width === 256).length).toBe(
      273,
    )
    expect(new Map(widths).get('0 273')).toBe(112)
    expect(new Map(widths).get('1 0')).toBe(256)
    expect(new Map(widths).get('1 1')).toBe(17)
    expect(new Map(widths).get('2 0')).toBe(1)
    expect([widthIn(70_000, 0, 273), widthIn(70_000, 1, 1), widthIn(70_000, 3, 0)]).toEqual([
      112, 17, 0,
    ])
  })

  test('creates the same tiles in any portions, and never changes existing ones', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 8 }), (portions) => {
        const leaves = leavesOf(1500)
        const [whole, parts] = [tilesOf(leaves), tilesOf(leaves, portions)]
        expect(parts.tiles).toEqual(whole.tiles)
      }),
      { numRuns: 30 },
    )
  })

  test('continues from its partial tiles', () => {
    const leaves = leavesOf(70_000)
    const { tiles } = tilesOf(leaves.slice(0, 66_000))
    const partial = [0, 1, 2].map((level) => {
      const last = Math.floor(66_000 / 256 ** (level + 1))
      return tiles.get(`${level} ${last}`) ?? new Uint8Array()
    })
    const edge = new Edge(66_000, partial)
    edge.append(leaves.slice(66_000))
    expect(hex(edge.root()!)).toBe(hex(rootOf(leaves)))
  })
})

describe('proofs', () => {
  test('hold for every leaf and every earlier tree, and for nothing else', async () => {
    const size = fc.integer({ min: 1, max: 1200 })
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), fc.nat(), async (size, some, other) => {
        const leaves = leavesOf(size)
        const { read } = tilesOf(leaves)
        const hashes = (spans: { start: number; end: number }[]) =>
          Promise.all(spans.map((span) => spanHash(span, read)))
        const tree = { size, root: rootOf(leaves) }
        const index = some % size
        const path = await hashes(inclusionSpans(index, size))
        const own = { index, leaf: leaves[index]!, path }
        expect(includes(tree, own)).toBe(true)
        expect(includes(tree, { ...own, leaf: leafHash(Buffer.from('another')) })).toBe(false)
        if (size > 1) expect(includes(tree, { ...own, index: (index + 1) % size })).toBe(false)
        expect(includes(tree, { ...own, path: [...path, path[0] ?? tree.root] })).toBe(false)
        const from = other % (size + 1)
        const before = { size: from, root: rootOf(leaves.slice(0, from)) }
        const proof = await hashes(consistencySpans(from, size))
        expect(isConsistent(before, tree, proof)).toBe(true)
        const forked = { ...before, root: leafHash(Buffer.from('fork')) }
        if (from > 0) expect(isConsistent(forked, tree, proof)).toBe(false)
      }),
      { numRuns: 100 },
    )
  })

  test('of the vectors are those of RFC 6962, section 2.1.3', () => {
    const names = (spans: { start: number; end: number }[]) =>
      spans.map(({ start, end }) => `${start}-${end}`)
    expect(names(inclusionSpans(0, 7))).toEqual(['1-2', '2-4', '4-7'])
    expect(names(inclusionSpans(3, 7))).toEqual(['2-3', '0-2', '4-7'])
    expect(names(inclusionSpans(4, 7))).toEqual(['5-6', '6-7', '0-4'])
    expect(names(inclusionSpans(6, 7))).toEqual(['4-6', '0-4'])
    expect(names(consistencySpans(3, 7))).toEqual(['2-3', '3-4', '0-2', '4-7'])
    expect(names(consistencySpans(4, 7))).toEqual(['4-7'])
    expect(names(consistencySpans(6, 7))).toEqual(['4-6', '6-7', '0-4'])
  })
})

describe('tilePath', () => {
  test('is that of the specification', () => {
    expect(tilePath({ level: 0, index: 1234067, width: 256 })).toBe('tile/0/x001/x234/067')
    expect(tilePath({ level: 1, index: 0, width: 17 })).toBe('tile/1/000.p/17')
    expect(tilePath({ level: 'entries', index: 999, width: 1 })).toBe('tile/entries/999.p/1')
  })

  test('is read back, and accepts no other notation', () => {
    const level = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const))
    const index = fc.integer({ min: 0, max: 10 ** 12 })
    fc.assert(
      fc.property(level, index, fc.integer({ min: 1, max: 256 }), (level, index, width) => {
        const name = { level, index, width }
        expect(tileNameOf(tilePath(name))).toEqual(name)
      }),
    )
    for (const path of [
      'tile/64/000',
      'tile/00/000',
      'tile/0/1',
      'tile/0/x000/000',
      'tile/0/000.p/0',
      'tile/0/000.p/256',
      'tile/0/000.p/01',
      'tile/0/000/',
      'tile/data/000',
    ])
      expect(tileNameOf(path)).toBeNull()
  })
})
