import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { arrived as arrivedFrom, valuesOf } from '../support/connector.ts'

const files = new Map<string, string>()
let denies = false
let asked: Request[] = []
let server: Bun.Server<undefined>

/** As much of S3 as reading a folder needs: a list by prefix, and a range of an object. */
function answer(request: Request): Response {
  asked.push(request)
  const { pathname, searchParams } = new URL(request.url)
  const fault = (code: string, status: number) =>
    new Response(`<Error><Code>${code}</Code><Message>no</Message></Error>`, { status })
  if (denies) return fault('SignatureDoesNotMatch', 403)
  const [, bucket = '', ...parts] = decodeURIComponent(pathname).split('/')
  if (bucket !== 'prices') return fault('NoSuchBucket', 404)
  const key = parts.join('/')
  if (key !== '') {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range') ?? '') ?? []
    const text = files.get(key)
    if (text === undefined) return fault('NoSuchKey', 404)
    const part = text.slice(Number(first ?? 0), Number(last ?? text.length) + 1)
    return new Response(part, { status: first === undefined ? 200 : 206 })
  }
  const prefix = searchParams.get('prefix') ?? ''
  const found = [...files].filter(
    ([name]) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/'),
  )
  const contents = found.map(
    ([name, text], at) =>
      `<Contents><Key>${name}</Key><Size>${text.length}</Size>` +
      `<LastModified>2026-11-2${at}T10:00:00.000Z</LastModified></Contents>`,
  )
  const list = `<IsTruncated>false</IsTruncated>${contents.join('')}`
  const body = `<?xml version="1.0"?><ListBucketResult>${list}</ListBucketResult>`
  return new Response(body, { headers: { 'content-type': 'application/xml' } })
}

beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
})
afterAll(() => server.stop(true))
beforeEach(() => {
  denies = false
  asked = []
  files.clear()
  files.set('out/a.csv', 'To,Rate\nKES,171\n')
  files.set('out/b.csv', 'To,Rate\nKES,172\n')
  files.set('out/deeper/c.csv', 'x')
  files.set('in/d.csv', 'x')
})

type Change = { bucket?: string; allow?: string[]; seen?: string[]; nowMs?: number }

const arrived = ({ bucket = 'prices', ...change }: Change = {}) =>
  arrivedFrom(
    `name: acme
provider: acme
from:
  url: s3://${bucket}/out/*.csv
  endpoint: ${server.url.origin}
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
  denies = true
  await expect(arrived()).rejects.toThrow('answered 403 (SignatureDoesNotMatch)')
})

test("a request is signed as the runtime's own client signs it", async () => {
  const name = 'out/a b+c é (1).csv'
  files.clear()
  files.set(name, 'To,Rate\nKES,171\n')
  const login = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  await new Bun.S3Client({
    ...login,
    endpoint: server.url.origin,
    bucket: 'prices',
    region: 'us-east-1',
  })
    .file(name)
    .text()
  const signed = asked.at(-1)!
  const at = signed.headers.get('x-amz-date')!.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')
  await arrived({ nowMs: Date.parse(at) })
  const ours = asked.at(-1)!
  expect(new URL(ours.url).pathname).toBe(new URL(signed.url).pathname)
  expect(ours.headers.get('authorization')).toBe(signed.headers.get('authorization'))
})
