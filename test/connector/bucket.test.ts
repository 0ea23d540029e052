import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Arrival, arrivalsOf } from '~/connector/arrivals.ts'
import { readConnector } from '~/connector/definition.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { allowedPlaces } from '~/outbound/places.ts'

const NOW_MS = Date.parse('2026-11-24T12:00:00Z')
const files = new Map<string, string>()
let denies = false
let server: Bun.Server<undefined>

/** As much of S3 as reading a folder needs: a list by prefix, and a range of an object. */
function answer(request: Request): Response {
  const { pathname, searchParams } = new URL(request.url)
  const fault = (code: string, status: number) =>
    new Response(`<Error><Code>${code}</Code><Message>no</Message></Error>`, { status })
  if (denies) return fault('SignatureDoesNotMatch', 403)
  const [, bucket, ...parts] = decodeURIComponent(pathname).split('/')
  if (bucket !== 'prices') return fault('NoSuchBucket', 404)
  const key = parts.join('/')
  if (key !== '') {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range') ?? '') ?? []
    const text = files.get(key)
    if (text === undefined) return fault('NoSuchKey', 404)
    const part = text.slice(Number(first ?? 0), Number(last ?? text.length) + 1)
    return new Response(part, { status: first === undefined ? 200 : 206 })
  }
  const found = [...files].filter(([name]) => name.startsWith(searchParams.get('prefix') ?? ''))
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
  files.clear()
  files.set('out/a.csv', 'To,Rate\nKES,171\n')
  files.set('out/b.csv', 'To,Rate\nKES,172\n')
  files.set('out/deeper/c.csv', 'x')
  files.set('in/d.csv', 'x')
})

async function arrived({ bucket = 'prices', allow = ['127.0.0.1'], seen = [] as string[] } = {}) {
  const { connector, faults } = readConnector(`name: acme
provider: acme
from:
  url: s3://${bucket}/out/*.csv
  endpoint: ${server.url.origin}
  access_key: \${ACME_ID}
  secret_key: \${ACME_SECRET}
format: csv
row: { to: To, rate: Rate }
terms: ours
`)
  expect(faults).toEqual([])
  const arrivals: Arrival[] = []
  const outer = {
    fetcher: { ...systemPace, clock: { now: () => NOW_MS } },
    allowed: allowedPlaces(allow),
    ...{ env: { ACME_ID: 'S3RVER', ACME_SECRET: 'S3RVER' }, folder: '/', agent: 'corridor' },
    seen: new Set(seen),
  }
  for await (const arrival of arrivalsOf(connector!, outer)) arrivals.push(arrival)
  return arrivals
}

test('the files of a bucket come by age, those of other folders left out, and once', async () => {
  const first = await arrived()
  expect(first.map(({ name, document }) => [name, document])).toEqual([
    ['a.csv', [{ To: 'KES', Rate: '171' }]],
    ['b.csv', [{ To: 'KES', Rate: '172' }]],
  ])
  expect(await arrived({ seen: first.map(({ file }) => file!) })).toEqual([])
})

test('a refused key, a missing bucket and a private endpoint are named', async () => {
  await expect(arrived({ bucket: 'other' })).rejects.toThrow('has no bucket or file of that name')
  await expect(arrived({ allow: [] })).rejects.toThrow('is not on the public internet')
  denies = true
  await expect(arrived()).rejects.toThrow('refused the key or its secret')
})
