import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { arrived as arrivedFrom, valuesOf } from '../support/connector.ts'
import { S3Server } from '../support/s3-server.ts'
import { s3Signature } from '../support/s3-signature.ts'

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

type Change = {
  bucket?: string
  allow?: string[]
  seen?: string[]
  nowMs?: number
  id?: string
  secret?: string
}

const arrived = ({ bucket = 'prices', id = 'S3RVER', secret = 'S3RVER', ...change }: Change = {}) =>
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
    { ...change, env: { ACME_ID: id, ACME_SECRET: secret } },
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
  await expect(arrived({ bucket: 'other' })).rejects.toThrow('returned 404 (NoSuchBucket)')
  await expect(arrived({ allow: [] })).rejects.toThrow('named in CONNECTORS_ALLOW')
  await expect(arrived({ secret: 'other' })).rejects.toThrow('returned 403 (SignatureDoesNotMatch)')
  await expect(arrived({ id: 'other' })).rejects.toThrow('returned 403 (InvalidAccessKeyId)')
})

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const PUBLISHED: [path: string, more: Record<string, string>, signature: string][] = [
  [
    'test.txt',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  ['?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ['?lifecycle', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
]

test('the server computes signatures as in the examples that AWS publishes', () => {
  for (const [path, more, signature] of PUBLISHED) {
    const signed = {
      host: 'examplebucket.s3.amazonaws.com',
      ...more,
      'x-amz-content-sha256': new Bun.CryptoHasher('sha256').update('').digest('hex'),
      'x-amz-date': '20130524T000000Z',
    }
    const authorization =
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      `SignedHeaders=${Object.keys(signed).join(';')},Signature=${signature}`
    const headers = new Headers({ ...signed, authorization })
    const url = `https://${signed.host}/${path}`
    const secretOf = () => 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
    expect(s3Signature({ method: 'GET', url, headers }, secretOf)).toEqual({
      sent: signature,
      right: signature,
    })
  }
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
