import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { base64Bytes } from '~/evidence/base64.ts'
import { checkpointOf } from '~/evidence/checkpoint.ts'
import {
  isSignedBy,
  keyId,
  type NoteKey,
  noteKeyOf,
  noteText,
  publicBytes,
  verifierKey,
} from '~/evidence/note.ts'
import { COSIGNATURE_ED25519, cosigned, noteOf } from '~/evidence/note-text.ts'
import { proofOf } from '~/evidence/proof.ts'
import { includes, isConsistent, leafHash } from '~/evidence/tree.ts'
import { textOf } from '../portal/portal-world.ts'
import { stockedDatabase } from '../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { clockAt } from '../support/clock.ts'
import { corridor } from '../support/command.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { AT, addAccount, Replica } from './replica-scene.ts'

/** A witness as the specification describes it, or one with an error. */
class TestWitness {
  readonly #key = generateKeyPairSync('ed25519').privateKey
  readonly key: NoteKey = {
    name: 'witness.example/w1',
    type: COSIGNATURE_ED25519,
    publicKey: publicBytes(this.#key),
  }
  fault: 'away' | 'another tree' | 'hangs' | null = null
  /** The last checkpoint that it signed. */
  known: { size: number; root: Uint8Array } = { size: 0, root: new Uint8Array() }
  readonly #server = Bun.serve({ port: 0, fetch: async (request) => this.#answer(request) })

  get setting(): string {
    return `${verifierKey(this.key)} ${this.#server.url.origin}/`
  }

  stop(): void {
    void this.#server.stop(true)
  }

  async #answer(request: Request): Promise<Response> {
    if (this.fault === 'away') return new Response('', { status: 503 })
    if (this.fault === 'hangs') return new Promise(() => {})
    const body = await request.text()
    const [head, ...rest] = body.split('\n\n')
    const [old, ...lines] = head!.split('\n')
    const note = noteOf(rest.join('\n\n'))!
    const checkpoint = checkpointOf(note.text)!
    const from = Number(old!.slice('old '.length))
    if (from !== this.known.size) return new Response(`${this.known.size}\n`, { status: 409 })
    const proof = lines.map((line) => base64Bytes(line)!)
    if (!isConsistent(this.known, checkpoint, proof)) return new Response('', { status: 422 })
    this.known = checkpoint
    const text = this.fault === 'another tree' ? note.text.replace(/\n\d+\n/, '\n9\n') : note.text
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(1n)
    const signature = sign(null, Buffer.from(cosigned(text, 1n)), this.#key)
    const line = { name: this.key.name, id: keyId(this.key) }
    const signed = { ...line, signature: Buffer.concat([time, signature]) }
    return new Response(noteText({ text: '', signatures: [signed] }).slice(1))
  }
}

/** The number of entries in the catalogue of the tests, and of versions of the methodology. */
const CATALOGUE = CURRENCIES.length + PROVIDERS.length + 2
const ROW = { provider_id: 'retail-a', from: 'USD', to: 'KES' }

describe('the log of a service with two replicas', () => {
  let database: FreshDatabase
  let replicas: Replica[]
  let witness: TestWitness
  let key: string
  let data: string
  let rates = 100

  const clock = clockAt(AT)
  const start = () =>
    Replica.start(database, {
      clock,
      settings: {
        LOG_SEAL_EVERY: '10s',
        LOG_WITNESS: witness.setting,
        DATA_DIR: data,
        PUBLIC_URL: 'https://rates.example',
      },
    })
  const post = async () => {
    const reply = await replicas[0]!.post([{ ...ROW, rate: ++rates }], key)
    return reply.body.ids[0] as number
  }
  const file = (path: string, nth = 0) => fetch(`${replicas[nth]!.service.origin}/log/${path}`)
  const head = async () => {
    const reply = await file('checkpoint')
    const note = reply.ok ? noteOf(await reply.text()) : null
    return note && { note, ...checkpointOf(note.text)! }
  }
  /** Advances to the time of a seal and waits for its checkpoint, with this many observations. */
  const sealed = async (observations: number, isCosigned = true) => {
    const size = CATALOGUE + observations
    clock.advance(10_000)
    await until(`a checkpoint of ${size} leaves`, async () => {
      const now = await head()
      return now?.size === size && (!isCosigned || isSignedBy(now.note, witness.key) === true)
    })
    return (await head())!
  }

  const metricsOf = async ({ service }: Replica) =>
    (await fetch(`${service.origin}/metrics`)).text()

  /** The cosignatures that failed in both replicas, by their metrics. */
  const failures = async () => {
    const metrics = await Promise.all(replicas.map(metricsOf))
    const failed = /^corridor_log_cosignatures_total\{.*"failed".*\} (\d+)$/gm
    return metrics
      .flatMap((text) => [...text.matchAll(failed)])
      .reduce((sum, [, count]) => sum + Number(count), 0)
  }

  beforeAll(async () => {
    database = await stockedDatabase()
    witness = new TestWitness()
    data = await scratchFolder()
    replicas = []
    for (let i = 0; i < 2; i++) replicas.push(await start())
    key = (await addAccount(database, { role: 'treasury' })).keys[0]!
    await until('the key', async () => (await replicas[0]!.get('/admin/usage', key)).status === 200)
  }, TEST_MS_MAX)
  afterAll(async () => {
    for (const { service } of replicas) await service.stop()
    witness.stop()
    await database.close()
  })

  test(
    'is sealed, cosigned, and proved by every replica',
    async () => {
      const id = await post()
      const { note, origin, size, root } = await sealed(1)
      expect(origin).toBe('rates.example')
      const { stdout } = await corridor(['log', 'key', '--json'], database.url)
      const vkey = { ...noteKeyOf(JSON.parse(stdout).vkey)!, name: 'rates.example' }
      expect(isSignedBy(note, vkey)).toBe(true)
      for (const replica of replicas) {
        const reply = await replica.get(`/proofs?observation=${id}`, key)
        const proof = proofOf(reply.text)!
        expect(includes({ size, root }, { ...proof, leaf: leafHash(proof.extra!) })).toBe(true)
      }
    },
    TEST_MS_MAX,
  )

  test(
    'proves each version of the methodology, with the text of its page, once',
    async () => {
      const { size, root } = (await head())!
      for (const version of [1, 2]) {
        const name = `/methodology/${version}`
        const proof = proofOf((await replicas[1]!.get(`/proofs?catalogue=${name}`, key)).text)!
        expect(includes({ size, root }, { ...proof, leaf: leafHash(proof.extra!) })).toBe(true)
        const entry = JSON.parse(Buffer.from(proof.extra!).toString())
        expect(entry).toMatchObject({ kind: 'catalogue', table: 'methodology', name })
        const page = textOf(await (await fetch(`${replicas[0]!.service.origin}${name}`)).text())
        expect(page).toContain(`Version ${version} of ${entry.row.date}`)
        const lines: string[] = entry.row.text.split('\n')
        expect(lines.length).toBeGreaterThan(20)
        for (const line of lines) expect(page).toContain(line.replace(/\s+/g, ' ').trim())
      }
    },
    TEST_MS_MAX,
  )

  test(
    'grows, and is cosigned again after the witness was unreachable, hung or signed another tree',
    async () => {
      const faults = ['away', 'another tree', 'hangs'] as const
      for (const [i, fault] of faults.entries()) {
        await post()
        witness.fault = fault
        const before = await failures()
        await sealed(i + 2, false)
        await until(`a failure of a witness: ${fault}`, async () => (await failures()) > before)
        expect(isSignedBy((await head())!.note, witness.key)).toBeNull()
      }
      const timeouts = () =>
        replicas
          .flatMap(({ log }) => log.lines)
          .filter(({ context }) => (context as { err?: Error }).err?.name === 'TimeoutError')
      await until('a timeout in the log', async () => timeouts().length > 0)
      const timeout = JSON.stringify(timeouts()[0])
      expect(timeout).toContain(witness.key.name)
      expect(timeout).toContain('a witness did not cosign the log')
      await post()
      witness.fault = null
      await sealed(5)
    },
    TEST_MS_MAX,
  )

  test(
    'signs responses with the date that it sends, and the size of the log that it knows',
    async () => {
      const { size } = (await head())!
      clock.advance(10_000)
      await until('the size of the log at the other replica', async () =>
        new RegExp(`^corridor_log_leaves(\\{.*\\})? ${size}$`, 'm').test(
          await metricsOf(replicas[1]!),
        ),
      )
      const reply = await fetch(`${replicas[1]!.service.origin}/api/v1/rates?from=USD&to=KES`, {
        headers: { 'x-api-key': key, 'accept-signature': 'sig=()' },
      })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('date')).toBe(new Date(clock.now()).toUTCString())
      expect(reply.headers.get('signature-input')).toEndWith(`;log-size=${size}`)
    },
    TEST_MS_MAX,
  )

  test(
    'continues under another origin after the database lost what was published',
    async () => {
      for (const { service } of replicas.splice(0)) await service.stop()
      const { sql } = database
      await sql.begin(async (tx) => {
        await tx`set local session_replication_role = 'replica'`
        const size = CATALOGUE + 3
        await tx`update log_tiles set hashes = substring(hashes for ${size * 32})`
        await tx`
          update log_leaves set keys = keys[:${size}], salts = substring(salts for ${size * 16})`
        await tx`delete from log_checkpoints where size > ${size}`
        await tx`
          update log_state set size = ${size}, position = (
            select position from changes where kind = 'observations'
            order by position offset 2 limit 1
          )`
      })
      replicas.push(await start())
      clock.advance(10_000)
      await until('another origin', async () => (await head())?.origin === 'rates.example/2')
      const warned = replicas[0]!.log.lines.map((line) => JSON.stringify(line)).join()
      expect(warned).toContain('the log goes on under another origin')
    },
    TEST_MS_MAX,
  )

  test(
    'retires a key only once the newest checkpoint is signed by the next one',
    async () => {
      const run = (...args: string[]) => corridor(['log', ...args, '--json'], database.url)
      expect((await run('key', '--rotate')).status).toBe(0)
      const early = await run('key', '--retire')
      expect([early.status, early.said]).toEqual([
        1,
        [expect.stringContaining('wait until something is recorded and sealed')],
      ])
      const { size } = (await head())!
      await post()
      clock.advance(10_000)
      await until('another checkpoint', async () => (await head())!.size > size)
      const retired = await run('key', '--retire')
      expect([retired.status, JSON.parse(retired.stdout).older]).toEqual([0, undefined])
      expect((await run('verify')).status).toBe(0)
    },
    TEST_MS_MAX,
  )

  test(
    'is verified by the command, here and from outside',
    async () => {
      const own = await corridor(['log', 'verify', '--json'], database.url)
      const { ok, faults } = JSON.parse(own.stdout)
      expect([own.status, ok, faults]).toEqual([0, true, []])
      const { origin } = replicas[0]!.service
      const vkey = JSON.parse((await corridor(['log', 'key', '--json'], database.url)).stdout).vkey
      const checkpoint = join(data, 'seen')
      const args = ['log', 'verify', '--url', origin, '--key', vkey, '--checkpoint', checkpoint]
      const first = await corridor([...args, '--json'], database.url)
      expect([first.status, first.said]).toEqual([0, []])
      await writeFile(join(data, 'other'), 'x')
      const wrong = ['--key', verifierKey({ ...noteKeyOf(vkey)!, publicKey: Buffer.alloc(32) })]
      const refused = await corridor(['log', 'verify', '--url', origin, ...wrong], database.url)
      expect(refused.status).toBe(1)
      expect(refused.said.join()).toContain('is not signed by that key')
      await tamper(database)
      const changed = await corridor(['log', 'verify', '--json'], database.url)
      expect(changed.status).toBe(1)
      expect(JSON.parse(changed.stdout).faults).toEqual([
        expect.stringMatching(/^observation \d+ differs from what was sealed as leaf \d+$/),
      ])
    },
    TEST_MS_MAX,
  )
})

/** Changes a sealed row, as a superuser can. */
const tamper = ({ sql }: FreshDatabase) =>
  sql.begin(async (tx) => {
    await tx`set local session_replication_role = 'replica'`
    await tx`update observations set rate = 1 where id = (select min(id) from observations)`
  })
