import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { loadConfig } from '~/config.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { shelfOf } from '~/runtime/storage/shelf.ts'
import type { Pace } from '~/runtime/storage/upload.ts'
import { compressedInto } from '~/store/transfer/compressed.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { startBucket } from './bucket.ts'

setDefaultTimeout(TEST_MS_MAX)

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'a secret of the bucket' }
/** Pieces of more than two parts, which gzip makes no smaller. */
const PIECES = Array.from({ length: 20 }, () => randomBytes(1_048_576))

let bucket: Awaited<ReturnType<typeof startBucket>>

beforeAll(async () => {
  bucket = await startBucket()
})
afterAll(() => bucket.stop())

const PACE: Pace = { ...systemPace, clock: { now: () => Date.now() } }

/** Uploads the pieces, and then whatever `end` does. */
async function upload(end: () => Promise<void>, pace = PACE) {
  const backupDir = 's3://backups'
  const config = loadConfig({ ...KEYS, AWS_ENDPOINT_URL: bucket.origin })
  const output = await shelfOf({ ...config, backupDir }, pace).add('one')
  const written = compressedInto(output, async (write) => {
    for (const piece of PIECES) await write(piece)
    await end()
  })
  return { output, written }
}

const aPart = () => until('a part', async () => (bucket.parts.get('one')?.length ?? 0) > 0)

describe('a bucket', () => {
  test('has a large backup in parts that are one object at the end', async () => {
    const { written } = await upload(async () => expect(bucket.objects.size).toBe(0))
    await written
    const object = new Uint8Array(bucket.objects.get('one')!)
    expect(Buffer.concat(PIECES).equals(Bun.gunzipSync(object))).toBe(true)
    expect(bucket.parts.size).toBe(0)
    bucket.objects.clear()
  })

  test('has nothing of a backup that ended early, nor its parts', async () => {
    const { output, written } = await upload(async () => {
      await aPart()
      throw new Error('the service stops')
    })
    await expect(written).rejects.toThrow('the service stops')
    await until('the end of the parts', async () => bucket.parts.size === 0)
    expect(bucket.objects.size).toBe(0)
    expect(output.stream.destroyed).toBe(true)
  })

  test('that refuses a part fails the backup, which says why', async () => {
    const { written } = await upload(async () => {
      await aPart()
      bucket.refuses = true
    })
    await expect(written).rejects.toThrow('s3://backups/one cannot be written: no')
    bucket.refuses = false
  })

  test('that accepts a part and never responds ends the backup within a bound', async () => {
    const waits: number[] = []
    let pass = () => {}
    const pace: Pace = {
      ...PACE,
      deadline(ms) {
        const time = new AbortController()
        pass = () => time.abort(waits.push(ms))
        return time.signal
      },
      sleep: async (ms) => waits.push(ms),
    }
    const { written } = await upload(async () => {
      await aPart()
      bucket.silence = () => pass()
    }, pace)
    await expect(written).rejects.toThrow(
      's3://backups/one cannot be written: it did not respond within 120 s',
    )
    bucket.silence = null
    expect(waits).toEqual([120_000, 1000, 120_000, 2000, 120_000])
    expect([bucket.parts.size, bucket.objects.size]).toEqual([0, 0])
  })

  test('lists backups among any number of other objects', async () => {
    for (let i = 0; i < 1_100; i++) bucket.objects.set(`a-file-${i}`, new Uint8Array())
    const name = 'corridor-2026-03-06T03-00-00Z.backup'
    bucket.objects.set(name, new Uint8Array())
    const config = loadConfig({ ...KEYS, AWS_ENDPOINT_URL: bucket.origin })
    expect(await shelfOf({ ...config, backupDir: 's3://backups' }, PACE).names()).toEqual([name])
  })

  test('that is a web page instead is named by the setting of its address', async () => {
    const page = Bun.serve({ port: 0, fetch: () => new Response('<html><p>Welcome</html>') })
    const config = loadConfig({ ...KEYS, AWS_ENDPOINT_URL: page.url.origin })
    const shelf = shelfOf({ ...config, backupDir: 's3://backups' }, PACE)
    await expect(shelf.names()).rejects.toThrow('no list of its objects: check AWS_ENDPOINT_URL')
    await page.stop(true)
  })
})
