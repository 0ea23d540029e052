import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyRemote } from '~/command/log/remote.ts'
import { bundleOf, entriesOf } from '~/evidence/bundle.ts'
import { checkpointText } from '~/evidence/checkpoint.ts'
import { noteText, privateKeyOf, publicBytes, signedBy } from '~/evidence/note.ts'
import { NOTE_ED25519 } from '~/evidence/note-text.ts'
import { Edge, TILE_WIDTH, tilePath } from '~/evidence/tile.ts'
import { leafHash } from '~/evidence/tree.ts'

const ORIGIN = 'log.example'
const PRIVATE_KEY = privateKeyOf(Buffer.alloc(32, 7))
const KEY = { name: ORIGIN, type: NOTE_ED25519, publicKey: publicBytes(PRIVATE_KEY) }

/** A host of a log's files that deletes the partial tiles of a tile once it is full. */
class StaticHost {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>()
  /** The checkpoints that are served one after another; the last one stays. */
  readonly #checkpoints: string[] = []
  readonly #edge = new Edge(0, [])
  readonly #server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const path = new URL(url).pathname.replace('/log/', '')
      const found = path === 'checkpoint' ? this.#checkpoint() : this.files.get(path)
      return found === undefined ? new Response('', { status: 404 }) : new Response(found)
    },
  })

  constructor(private readonly what = 'entry') {}

  get url(): URL {
    return this.#server.url
  }

  #checkpoint() {
    return this.#checkpoints.length > 1 ? this.#checkpoints.shift() : this.#checkpoints[0]
  }

  grow(count: number): void {
    const before = this.#edge.size
    const entries = Array.from({ length: count }, (_, i) => this.#entry(before + i))
    for (const { level, index, hashes } of this.#edge.append(entries.map(leafHash))) {
      const width = hashes.length / 32
      this.#put({ level, index, width }, hashes)
      if (level > 0) continue
      const first = index * TILE_WIDTH
      const own = Array.from({ length: width }, (_, i) => this.#entry(first + i))
      this.#put({ level: 'entries', index, width }, bundleOf(own))
    }
    const { size } = this.#edge
    const text = checkpointText({ origin: ORIGIN, size, root: this.#edge.root()! })
    const signatures = [signedBy(text, ORIGIN, PRIVATE_KEY)]
    this.#checkpoints.push(noteText({ text, signatures }))
  }

  #entry(index: number): Buffer {
    return Buffer.from(`${this.what} ${index}`)
  }

  #put(name: Parameters<typeof tilePath>[0], bytes: Uint8Array): void {
    const full = tilePath({ ...name, width: TILE_WIDTH })
    if (name.width === TILE_WIDTH)
      for (const path of this.files.keys())
        if (path.startsWith(`${full}.p/`)) this.files.delete(path)
    this.files.set(tilePath(name), Uint8Array.from(bytes))
  }

  stop(): void {
    void this.#server.stop(true)
  }
}

const hosts: StaticHost[] = []
afterAll(() => {
  for (const host of hosts) host.stop()
})

function hostOf(leaves: number, what?: string): StaticHost {
  const host = new StaticHost(what)
  hosts.push(host)
  host.grow(leaves)
  return host
}

/** A log that grows from 300 leaves to 600 after its checkpoint was read. */
function grownHost(): StaticHost {
  const host = hostOf(300)
  host.grow(300)
  expect(host.files.has(tilePath({ level: 0, index: 1, width: 44 }))).toBe(false)
  return host
}

async function verified(host: StaticHost, more: { checkpoint?: string } = {}) {
  const faults: string[] = []
  const remote = { url: host.url, key: KEY, ...more }
  const said = await verifyRemote(remote, (fault) => faults.push(fault))
  return { ...said, faults }
}

test('a remote log is verified by full tiles if it deleted the partial ones meanwhile', async () => {
  expect(await verified(grownHost())).toEqual({
    leaves: 300,
    lines: [
      '300 leaves lead to the signed root; 300 entries match their leaves',
      'the tree of 300 leaves is the beginning of that of 600',
    ],
    faults: [],
  })
})

test('an entry of a full bundle that differs from its leaf is named', async () => {
  const host = grownHost()
  const path = tilePath({ level: 'entries', index: 1, width: TILE_WIDTH })
  const entries = entriesOf(host.files.get(path)!)!
  host.files.set(path, Uint8Array.from(bundleOf(entries.with(43, Buffer.from('another')))))
  expect((await verified(host)).faults).toEqual(['entry 299 does not match its leaf'])
})

test('a bundle whose entries cannot all be read is named', async () => {
  const host = hostOf(300)
  const path = tilePath({ level: 'entries', index: 0, width: TILE_WIDTH })
  const whole = host.files.get(path)!
  const longer = Uint8Array.from(whole)
  longer[0]! ^= 0x80
  for (const damaged of [
    longer,
    whole.slice(0, -1),
    whole.slice(0, bundleOf([Buffer.from('entry 0')]).length),
  ]) {
    host.files.set(path, damaged)
    expect((await verified(host)).faults).toEqual(['the bundle of entries 0 is not whole'])
  }
})

test('a bundle that is missing before another is named, and hides no other', async () => {
  const host = hostOf(900)
  const bundle = (index: number) => tilePath({ level: 'entries', index, width: TILE_WIDTH })
  host.files.delete(bundle(0))
  const entries = entriesOf(host.files.get(bundle(2))!)!
  host.files.set(bundle(2), Uint8Array.from(bundleOf(entries.with(1, Buffer.from('another')))))
  expect((await verified(host)).faults).toEqual([
    'the bundle of entries 0 is missing',
    'entry 513 does not match its leaf',
  ])
})

test('a file that holds no checkpoint of last time is an error, and stays', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'checkpoint-'))
  const checkpoint = join(folder, 'checkpoint')
  try {
    await Bun.write(checkpoint, 'cut short')
    await expect(verified(hostOf(3), { checkpoint })).rejects.toThrow(
      `${checkpoint} has no checkpoint`,
    )
    await expect(verified(hostOf(3), { checkpoint: folder })).rejects.toThrow('is a directory')
    expect(await Bun.file(checkpoint).text()).toBe('cut short')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the checkpoint of last time stays when the log is not its continuation', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'checkpoint-'))
  const checkpoint = join(folder, 'checkpoint')
  try {
    expect((await verified(hostOf(300), { checkpoint })).faults).toEqual([])
    const kept = await Bun.file(checkpoint).text()
    const other = hostOf(700, 'other')
    for (const _ of ['once', 'again']) {
      const { faults } = await verified(other, { checkpoint })
      expect(faults).toEqual(['the tree of 300 leaves is not the beginning of that of 700'])
      expect(await Bun.file(checkpoint).text()).toBe(kept)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
