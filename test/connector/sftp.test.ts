import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { arrived as arrivedFrom, ARRIVED_MS as NOW_MS, valuesOf } from '../support/connector.ts'
import { SftpServer } from '../support/sftp-server.ts'

const HOUR_MS = 3_600_000

let server: SftpServer

beforeAll(async () => {
  server = await SftpServer.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.password = 'a password'
  server.files.clear()
  server.files.set('a.csv', { text: 'To,Rate\nKES,171\n', atMs: NOW_MS - 2 * HOUR_MS })
  server.files.set('b.csv', { text: 'To,Rate\nKES,172\n', atMs: NOW_MS - HOUR_MS })
  server.files.set('c.txt', { text: 'x', atMs: NOW_MS })
})

type Change = { path?: string; hostKey?: string; allow?: string[]; seen?: string[]; more?: string }

const arrived = ({ path = '/out/*.csv', more = '', ...change }: Change = {}) =>
  arrivedFrom(
    `name: acme
provider: acme
from:
  url: sftp://corridor@127.0.0.1:${server.port}${path}
  password: \${ACME_PASSWORD}
  host_key: ${change.hostKey ?? server.fingerprint}
${more}
format: csv
row: { to: To, rate: Rate }
terms: ours
`,
    { ...change, env: { ACME_PASSWORD: 'a password' } },
  )

test('the files of an SFTP folder come by age, and once', async () => {
  const first = await arrived()
  expect(valuesOf(first)).toEqual([
    ['a.csv', [{ to: 'KES', rate: '171' }]],
    ['b.csv', [{ to: 'KES', rate: '172' }]],
  ])
  const [seen] = first.map(({ file }) => file!)
  expect((await arrived({ seen: [seen!] })).map(({ name }) => name)).toEqual(['b.csv'])
  expect((await arrived({ more: '  latest: true' })).map(({ name }) => name)).toEqual(['b.csv'])
})

test('another host key, another password and a missing folder are refused by name', async () => {
  const other = `SHA256:${'A'.repeat(43)}`
  await expect(arrived({ hostKey: other })).rejects.toThrow(
    'shows another host key than from.host_key',
  )
  await expect(arrived({ path: '/in/*.csv' })).rejects.toThrow('has no folder or file of that name')
  await expect(arrived({ path: '/out/*.xml' })).rejects.toThrow('finds no file at /out/*.xml')
  server.password = 'changed'
  await expect(arrived()).rejects.toThrow('refused the user, the password or the key')
})

test('a private host is contacted only if a setting names it', async () => {
  await expect(arrived({ allow: [] })).rejects.toThrow('is not on the public internet')
})

test('a file that was just written is left for the next run', async () => {
  server.files.set('d.csv', { text: 'To,Ra', atMs: NOW_MS })
  expect((await arrived()).map(({ name }) => name)).toEqual(['a.csv', 'b.csv'])
  server.files.delete('a.csv')
  server.files.delete('b.csv')
  await expect(arrived()).rejects.toThrow('finds d.csv still being written')
})
