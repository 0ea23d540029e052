import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { arrived as arrivedFrom, valuesOf } from '../support/connector.ts'
import { S3Server } from '../support/s3-server.ts'

let server: S3Server

beforeAll(() => {
  server = new S3Server()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.refusal = null
  server.files.clear()
  server.files.set('out/a.csv', 'To,Rate\nKES,171\n')
  server.files.set('out/b.csv', 'To,Rate\nKES,172\n')
  server.files.set('out/deeper/c.csv', 'x')
  server.files.set('in/d.csv', 'x')
})

type Change = { bucket?: string; allow?: string[]; seen?: string[]; nowMs?: number }

const arrived = ({ bucket = 'prices', ...change }: Change = {}) =>
  arrivedFrom(
    `name: acme
provider: acme
from:
  url: s3://${bucket}/out/*.csv
  endpoint: ${server.origin}
  access_key: \${ACME_ID}
  secret_key: \${ACME_SECRET}
format: csv
row: { to: To, rate: Rate }
terms: ours
`,
    { ...change, env: { ACME_ID: 'S3RVER', ACME_SECRET: 'S3RVER' } },
  )

test('the files of a bucket come by age, those of other folders left out, and once', async () => {
  const first = await arrived()
  expect(valuesOf(first)).toEqual([
    ['a.csv', [{ to: 'KES', rate: '171' }]],
    ['b.csv', [{ to: 'KES', rate: '172' }]],
  ])
  expect(await arrived({ seen: first.map(({ file }) => file!) })).toEqual([])
})

test('a refused key, a missing bucket and a private endpoint are named', async () => {
  await expect(arrived({ bucket: 'other' })).rejects.toThrow('answered 404 (NoSuchBucket)')
  await expect(arrived({ allow: [] })).rejects.toThrow('named in CONNECTORS_ALLOW')
  server.refusal = ['SignatureDoesNotMatch', 403]
  await expect(arrived()).rejects.toThrow('answered 403 (SignatureDoesNotMatch)')
})

test("a request is signed as the runtime's own client signs it", async () => {
  const name = 'out/a b+c é (1).csv'
  server.files.clear()
  server.files.set(name, 'To,Rate\nKES,171\n')
  const login = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  await new Bun.S3Client({
    ...login,
    endpoint: server.origin,
    bucket: 'prices',
    region: 'us-east-1',
  })
    .file(name)
    .text()
  const signed = server.asked.at(-1)!
  const at = signed.headers.get('x-amz-date')!.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')
  await arrived({ nowMs: Date.parse(at) })
  const ours = server.asked.at(-1)!
  expect(new URL(ours.url).pathname).toBe(new URL(signed.url).pathname)
  expect(ours.headers.get('authorization')).toBe(signed.headers.get('authorization'))
})
