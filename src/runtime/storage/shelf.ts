import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '~/config.ts'
import { xmlValue } from '~/feed/xml.ts'
import { bucketEndpoint } from '~/outbound/signed-request.ts'
import type { Output } from '~/store/transfer/compressed.ts'
import { newFile } from '~/store/transfer/new-file.ts'
import { type Bucket, bucketReply, type Pace, uploadOf } from './upload.ts'

/** Place of automatic backups. */
export type Shelf = {
  /** The whole name of a backup, for people. */
  placeOf(name: string): string
  /** A new backup, which has to be completed or dropped. */
  add(name: string): Promise<Output>
  names(): Promise<string[]>
  remove(name: string): Promise<void>
}

/** What every name of a backup begins with. */
const NAMES = 'corridor-'

type Where = Pick<Config, 's3'> & { readonly backupDir: string }

export const shelfOf = ({ backupDir, s3 }: Where, pace: Pace): Shelf => {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(backupDir) ?? []
  if (!bucket) return folderShelf(backupDir)
  const { region: said, endpoint, accessKeyId, secretAccessKey, sessionToken } = s3
  const region = said ?? 'us-east-1'
  const login = {
    ...{ region, bucket, accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! },
    endpoint: endpoint === null ? bucketEndpoint(region) : new URL(endpoint),
    ...(sessionToken !== null && { sessionToken }),
  }
  return bucketShelf({ ...login, pace }, prefix)
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

function bucketShelf(bucket: Bucket, prefix: string): Shelf {
  const keyOf = (name: string) => (prefix ? `${prefix}/${name}` : name)
  const placeOf = (name: string) => `s3://${bucket.bucket}/${keyOf(name)}`
  return {
    placeOf,
    add: async (name) => uploadOf(bucket, keyOf(name), placeOf(name)),
    async names() {
      const parameters = { 'list-type': '2', prefix: keyOf(NAMES), 'max-keys': '1000' }
      const { text } = await bucketReply(bucket, { key: '', parameters })
      return listedIn(text).map(({ Key: key }) => key.slice(keyOf('').length))
    },
    async remove(name) {
      await bucketReply(bucket, { method: 'DELETE', key: keyOf(name) })
    },
  }
}

type Listed = { readonly Key: string }

/** The objects of a bucket's list. Throws if it is not one. */
function listedIn(text: string): Listed[] {
  if (!text.includes('<ListBucketResult'))
    throw new Error('it returned no list of its objects: check AWS_ENDPOINT_URL')
  const list = xmlValue(text) as { readonly Contents?: Listed | Listed[] }
  return [list.Contents ?? []].flat()
}
