import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '~/config.ts'
import { Backups } from '~/runtime/storage/backups.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import { corridor, documentOf } from '../../support/command.ts'
import { KeptLog } from '../../support/log.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { startBucket } from './bucket.ts'

setDefaultTimeout(TEST_MS_MAX)

const CRON = '0 3 * * *'
const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'a secret of the bucket' }

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
})
afterAll(() => database.close())

function replica(at: string, settings: Record<string, string>) {
  const [clock, log] = [clockAt(at), new KeptLog()]
  const config = loadConfig({ BACKUP_CRON: CRON, ...settings })
  const backups = new Backups({ database, clock, log, config })
  return { backups, clock, log, run: async () => await backups.jobs[0]!.run() }
}

const placesSince = async () =>
  (await database.sql<{ place: string }[]>`select place from backups order by id`).map(
    ({ place }) => place,
  )

describe('Backups', () => {
  test('has no job without a schedule', () => {
    const parts = { database, clock: clockAt('2026-03-05T03:00:00Z'), log: new KeptLog() }
    expect(new Backups({ ...parts, config: loadConfig({}) }).jobs).toEqual([])
  })

  test('creates a backup that can be restored, records it, and keeps as many as configured', async () => {
    const folder = join(await scratchFolder(), 'backups')
    await mkdir(folder)
    await writeFile(join(folder, 'an unrelated file'), '')
    const { run, clock, log } = replica('2026-03-05T03:00:00.000Z', {
      BACKUP_DIR: folder,
      BACKUP_KEEP: '2',
    })
    for (const day of [5, 6, 7]) {
      clock.set(`2026-03-0${day}T03:00:00.120Z`)
      await run()
    }
    const newest = 'corridor-2026-03-07T03-00-00Z.backup'
    expect((await readdir(folder)).sort()).toEqual([
      'an unrelated file',
      'corridor-2026-03-06T03-00-00Z.backup',
      newest,
    ])
    expect(log.said).toEqual(Array(3).fill('info: a backup was created'))
    expect((await placesSince()).at(-1)).toBe(join(folder, newest))
    const checked = documentOf(
      await corridor(['backup', 'verify', join(folder, newest), '--json'], 'postgres://x@y/z'),
    )
    expect([checked.ok, checked.faults]).toEqual([true, []])
    expect(checked.rows).toBeGreaterThan(0)
    const text = Bun.gunzipSync(new Uint8Array(await readFile(join(folder, newest))))
    const cut = join(folder, 'cut.backup')
    await writeFile(cut, Bun.gzipSync(text.slice(0, text.length / 2)))
    const { status, said } = await corridor(['backup', 'verify', cut], 'postgres://x@y/z')
    expect([status, said.at(-1)]).toEqual([
      1,
      `corridor: ${cut}: the file is cut off: nothing was restored`,
    ])
  })

  test('creates one once, on one of the replicas, however their clocks differ', async () => {
    const folder = await scratchFolder()
    const all = ['03:00:00.000', '03:00:00.900', '03:00:02.000'].map((time) =>
      replica(`2026-03-05T${time}Z`, { BACKUP_DIR: folder }),
    )
    await Promise.all(all.slice(0, 2).map(({ run }) => run()))
    await all[2]!.run()
    expect(await readdir(folder)).toHaveLength(1)
  })

  test('creates one at its time after one that a clock days ahead recorded', async () => {
    const folder = await scratchFolder()
    const { run, clock } = replica('2026-03-15T03:00:00Z', { BACKUP_DIR: folder })
    await run()
    clock.set('2026-03-05T03:00:00Z')
    await run()
    expect(await readdir(folder)).toHaveLength(2)
  })

  test('leaves nothing of a backup that a stop ended, and says so', async () => {
    const folder = await scratchFolder()
    const { backups, run } = replica('2026-03-05T03:00:00Z', { BACKUP_DIR: folder })
    const ended = run().catch(({ message }: Error) => message)
    await backups.stop()
    expect(await ended).toBe('the service stops')
    expect(await readdir(folder)).toEqual([])
  })

  test('fails if the folder cannot be written, with its name', async () => {
    const folder = await scratchFolder()
    await writeFile(join(folder, 'file'), '')
    const { run } = replica('2026-03-05T03:00:00Z', { BACKUP_DIR: join(folder, 'file') })
    await expect(run()).rejects.toThrow(join(folder, 'file'))
  })

  test('uploads to a bucket in parts, and deletes the oldest there too', async () => {
    const bucket = await startBucket()
    const { run, clock } = replica('2026-03-05T03:00:00Z', {
      ...KEYS,
      BACKUP_DIR: 's3://backups/corridor/',
      BACKUP_KEEP: '1',
      AWS_ENDPOINT_URL: bucket.origin,
    })
    await run()
    clock.set('2026-03-06T03:00:00Z')
    await run()
    const key = 'corridor/corridor-2026-03-06T03-00-00Z.backup'
    expect([...bucket.objects.keys()]).toEqual([key])
    expect((await placesSince()).at(-1)).toBe(`s3://backups/${key}`)
    const file = join(await scratchFolder(), 'fetched.backup')
    await writeFile(file, bucket.objects.get(key)!)
    const checked = await corridor(['backup', 'verify', file, '--json'], 'postgres://x@y/z')
    expect(documentOf(checked).ok).toBe(true)
    bucket.refuses = true
    clock.set('2026-03-07T03:00:00Z')
    await expect(run()).rejects.toThrow('s3://backups/corridor/corridor-2026-03-07')
    expect([...bucket.objects.keys()]).toEqual([key])
    await bucket.stop()
  })
})
