import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, openDatabase, type Sql } from '~/store/database.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { ownConnection } from '~/store/own-connection.ts'
import { readPool, readPoolAt } from '~/store/read-pool.ts'
import { type Certified, newAuthority, signedFor } from '../support/certificates.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const ours = newAuthority('ours')
const theirs = newAuthority('theirs')

let folder: string
let server: Awaited<ReturnType<typeof openEmbedded>>
let admin: Sql
const clients: { end(): Promise<unknown> }[] = []

beforeAll(async () => {
  folder = await scratchFolder()
  const texts = {
    ours: ours.cert,
    theirs: theirs.cert,
    none: 'no certificate',
    both: theirs.cert + ours.cert,
  }
  for (const [name, text] of Object.entries(texts)) await writeFile(file(`${name}.crt`), text)
  const client = signedFor('corridor', ours)
  await writeFile(file('client.crt'), client.cert)
  await writeFile(file('client.key'), client.key)
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  server = await openEmbedded({ dataDir, use: 'command', say: () => {}, durable: false })
  admin = connect(server.url, { connectionsMax: 1, idleSeconds: null })
  await admin`alter system set ssl = on`
  await admin`alter system set ssl_ca_file = 'root.crt'`
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
})
afterAll(async () => {
  await admin.end()
  await server.close()
})

const file = (name: string): string => join(folder, name)

/** Makes the server present this certificate from now on. */
async function show({ key, cert }: Certified): Promise<void> {
  const [row] = await admin`show data_directory`
  const home = String(row!.data_directory)
  const { uid, gid } = await stat(home)
  for (const [name, text] of Object.entries({
    'server.key': key,
    'server.crt': cert,
    'root.crt': ours.cert,
  })) {
    await writeFile(join(home, name), text)
    await chown(join(home, name), uid, gid)
    await chmod(join(home, name), 0o600)
  }
  const [before] = await admin`select clock_timestamp()::text as at, pg_reload_conf()`
  await until('the reload', async () => {
    const sql = connect(server.url, { connectionsMax: 1 })
    const [loaded] = await sql`select pg_conf_load_time() > ${before!.at}::timestamptz as "isSo"`
    await sql.end()
    return loaded!.isSo
  })
}

/** The database's address, with its TLS parameters. */
const addressed = (query: string, host = 'localhost'): string =>
  `${server.url.replace('127.0.0.1', host)}?${query}`

async function tryWith(query: string, host?: string): Promise<string> {
  const sql = connect(addressed(query, host), { connectionsMax: 1 })
  clients.push(sql)
  return isEncrypted(sql).then(
    (ssl) => (ssl ? 'encrypted' : 'plain'),
    (error) => String(error.message),
  )
}

const isEncrypted = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
  return row!.ssl
}

const ENCRYPTED = 'encrypted'
const UNTRUSTED = /unable to verify|self signed certificate/
const OTHER_NAME = /does not match certificate's altnames/

describe('a server whose certificate has its name', () => {
  beforeAll(() => show(signedFor('localhost', ours)))

  test.each([
    ['', 'plain'],
    ['sslmode=disable', 'plain'],
    ['sslmode=prefer', ENCRYPTED],
    ['sslmode=require', ENCRYPTED],
    ['sslmode=require&sslrootcert=ours', ENCRYPTED],
    ['sslmode=verify-ca&sslrootcert=ours', ENCRYPTED],
    ['sslmode=verify-full&sslrootcert=ours', ENCRYPTED],
    ['sslmode=verify-full&sslrootcert=both', ENCRYPTED],
    ['sslmode=require&sslrootcert=theirs', UNTRUSTED],
    ['sslmode=verify-ca&sslrootcert=theirs', UNTRUSTED],
    ['sslmode=verify-full&sslrootcert=theirs', UNTRUSTED],
    ['sslmode=verify-ca', UNTRUSTED],
    ['sslmode=verify-full', UNTRUSTED],
    ['sslrootcert=system', UNTRUSTED],
    ['sslmode=verify-full&sslrootcert=system', UNTRUSTED],
  ])('is connected to if required by %p', async (query, outcome) => {
    const withPaths = query.replace(/=(ours|theirs|both)/, (_, name) => `=${file(name)}.crt`)
    expect(await tryWith(withPaths)).toMatch(outcome)
  })

  test('is refused by verify-full if its address is an IP address that it does not name', async () => {
    const query = `sslrootcert=${file('ours.crt')}&sslmode=`
    expect(await tryWith(`${query}verify-full`, '127.0.0.1')).toMatch(OTHER_NAME)
    expect(await tryWith(`${query}verify-ca`, '127.0.0.1')).toBe(ENCRYPTED)
  })

  test('gets our certificate if one is configured', async () => {
    const own = `sslcert=${file('client.crt')}&sslkey=${file('client.key')}`
    for (const mode of [`verify-full&sslrootcert=${file('ours.crt')}`, 'require']) {
      const sql = connect(addressed(`${own}&sslmode=${mode}`), { connectionsMax: 1 })
      clients.push(sql)
      const [row] = await sql`select client_dn from pg_stat_ssl where pid = pg_backend_pid()`
      expect([mode, row!.client_dn]).toEqual([mode, '/CN=corridor'])
    }
  })

  test('is checked by every further connection', async () => {
    const checked = addressed(`sslmode=verify-full&sslrootcert=${file('ours.crt')}`)
    const limits = { connectionsMax: 1, statementMsMax: 5000 }
    const open = () =>
      openDatabase({ databaseUrl: checked, dataDir: folder, use: 'service', say: () => {} })
    const database = await open()
    clients.push({ end: () => database.close() })
    const others = [readPool(database, limits).sql, readPoolAt(checked, limits).sql]
    for (const sql of [...others, ownConnection(database.sql)]) {
      clients.push(sql)
      expect(await isEncrypted(sql)).toBe(true)
    }
    const { unlisten } = await database.sql.listen('anything', () => {})
    const plain = await admin`select application_name from pg_stat_ssl join pg_stat_activity
      using (pid) where not ssl and pid <> pg_backend_pid() and backend_type = 'client backend'`
    expect([...plain]).toEqual([])
    await unlisten()
  })
})

describe('a server whose certificate has another name', () => {
  beforeAll(() => show(signedFor('db.example', ours)))

  test.each([
    ['sslmode=verify-full', OTHER_NAME],
    ['sslmode=verify-ca', ENCRYPTED],
    ['sslmode=require', ENCRYPTED],
  ])('is connected to if required by %s', async (query, outcome) => {
    expect(await tryWith(`${query}&sslrootcert=${file('ours.crt')}`)).toMatch(outcome)
  })
})

describe('an address with an unsupported check', () => {
  const refusal = async (query: string): Promise<string> => {
    const opening = openDatabase({
      databaseUrl: addressed(query.replaceAll('FOLDER', folder)),
      dataDir: folder,
      use: 'service',
      say: () => {},
    })
    const error = await opening.catch((failure: Error) => failure)
    if (!(error instanceof Error)) throw new Error('was let in')
    expect(error.message).not.toContain(new URL(server.url).password)
    return error.message.replaceAll(folder, 'FOLDER')
  }

  test.each([
    ['sslrootcert=FOLDER/ours.crt', 'sslrootcert needs sslmode=verify-full'],
    ['sslmode=prefer&sslrootcert=FOLDER/ours.crt', 'no certificate would be checked'],
    ['sslmode=disable&sslrootcert=FOLDER/ours.crt', 'no certificate would be checked'],
    ['sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
    ['sslmode=require&sslrootcert=FOLDER/gone.crt', 'FOLDER/gone.crt cannot be read (ENOENT)'],
    ['sslmode=verify-ca&sslrootcert=FOLDER/none.crt', 'FOLDER/none.crt cannot be used'],
    ['sslmode=verify-ca&sslrootcert=', 'sslrootcert:  cannot be read'],
    ['sslmode=require&sslcert=FOLDER/ours.crt&sslkey=FOLDER/client.key', 'cannot be used'],
    ['sslmode=require&sslcert=FOLDER/client.crt', 'sslcert and sslkey need each other'],
    ['sslcert=FOLDER/client.crt&sslkey=FOLDER/client.key', 'sslcert needs sslmode'],
    ['sslmode=verify-full&sslcrl=FOLDER/x', 'sslcrl is not supported'],
    ['sslmode=full', 'sslmode must be one of disable, allow, prefer, require'],
  ])('%s is refused by name', async (query, reason) => {
    expect(await refusal(query)).toContain(reason)
  })
})
