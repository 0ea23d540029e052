import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { S3Client } from 'bun'
import type { Config } from '~/config.ts'
import type { Output } from '~/store/transfer/compressed.ts'
import { newFile } from '~/store/transfer/new-file.ts'

/** Place of automatic backups. */
export type Shelf = {
  /** The whole name of a backup, for people. */
  placeOf(name: string): string
  /** A new backup, which has to be completed or dropped. */
  add(name: string): Promise<Output>
  names(): Promise<string[]>
  remove(name: string): Promise<void>
}

/** Bytes that a connection to S3 sends at once, which is the size of its parts. */
const PART_BYTES = 8 * 1_048_576
/** What every name of a backup begins with. */
const NAMES = 'corridor-'

export const shelfOf = ({ backupDir, s3 }: Pick<Config, 's3'> & { backupDir: string }): Shelf => {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(backupDir) ?? []
  if (!bucket) return folderShelf(backupDir)
  const said = Object.entries(s3).filter(([, value]) => value !== null)
  return bucketShelf(new S3Client({ bucket, ...Object.fromEntries(said) }), bucket, prefix)
}

function folderShelf(path: string): Shelf {
  const folder = resolve(path)
  return {
    placeOf: (name) => join(folder, name),
    async add(name) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return newFile(join(folder, name))
    },
    names: () => readdir(folder),
    remove: (name) => rm(join(folder, name)),
  }
}

function bucketShelf(client: S3Client, bucket: string, prefix: string): Shelf {
  const keyOf = (name: string) => (prefix ? `${prefix}/${name}` : name)
  return {
    placeOf: (name) => `s3://${bucket}/${keyOf(name)}`,
    async add(name) {
      return uploadOf(client, keyOf(name), `s3://${bucket}/${keyOf(name)}`)
    },
    async names() {
      const { contents = [] } = await client.list({ prefix: keyOf(NAMES), maxKeys: 1000 })
      return contents.map(({ key }) => key.slice(keyOf('').length))
    },
    remove: (name) => client.delete(keyOf(name)),
  }
}

/** An object in parts, there only once the last one is; a failure or an early end removes them. */
function uploadOf(client: S3Client, key: string, place: string): Output {
  const stream = new PassThrough({ highWaterMark: PART_BYTES })
  // The stream stays until the failure is known, which it then has.
  const body = new Response(stream.iterator({ destroyOnReturn: false }) as never)
  const faultOf = ({ message }: Error) => new Error(`${place} cannot be written: ${message}`)
  const sent = client.file(key).write(body, { partSize: PART_BYTES, retry: 3 })
  sent.catch((error) => stream.destroy(error))
  return {
    stream,
    faultOf,
    async keep() {
      await sent.catch((error) => Promise.reject(faultOf(error)))
    },
    async drop() {
      await sent.catch(() => {})
      await client.delete(key).catch(() => {})
    },
  }
}
