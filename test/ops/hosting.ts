import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '~/runtime/listener.ts'
import { command, serve } from '../bench/process.ts'
import { preferMemory } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { comesTrue, ProxiedStream } from './proxied-stream.ts'

/**
 * Tests the files of ops with the programs that read them: the unit with systemd's own checks, the
 * configurations of nginx and Caddy in front of a running service.
 */
const OPS = join(import.meta.dir, '../../ops')
const NAME = 'corridor.example.org'
const PACKAGES = { 'systemd-analyze': 'systemd', nginx: 'nginx-light', caddy: 'caddy' }
const TOOLS = ['curl', 'openssl', ...Object.keys(PACKAGES)]
/** Maximum exposure by systemd, in tenths: 0 is none, 100 full exposure. */
const EXPOSURE_MAX = 25
const BODY_BYTES = 1_500_000
/**
 * Time that a proxy waits for the next bytes: more than the 15 seconds between two comments, and
 * less.
 */
const PATIENT_SECONDS = 20
const HASTY_SECONDS = 3
/** Time within which a proxy must pass an event on. */
const PASSED_MS_MAX = 1000
const COMMENTS_MS_MAX = 40_000
/** Line of the metrics with the number of open streams. */
const OPEN = /^corridor_streams_open{tier="realtime"} (\d+)$/m

const missing = TOOLS.filter((tool) => !Bun.which(tool))
if (missing.length > 0) {
  const names = missing.map((tool) => (PACKAGES as Record<string, string>)[tool] ?? tool)
  console.log(`${missing.join(', ')}: not here; apt-get install ${names.join(' ')}`)
  console.log(`0 passed, ${missing.length} failed`)
  process.exit(1)
}

const outcomes: [string, boolean][] = []
await preferMemory()
const home = await mkdtemp(join(tmpdir(), 'corridor-hosting-'))
await chmod(home, 0o755)
try {
  await triedUnit()
  await triedBehind('nginx', nginx)
  await triedBehind('Caddy', caddy)
} finally {
  await rm(home, { recursive: true, force: true })
}
for (const [what, isRight] of outcomes) console.log(`${isRight ? 'right' : 'WRONG'}: ${what}`)
const failed = outcomes.filter(([, isRight]) => !isRight).length
console.log(`${outcomes.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** Checks the unit with this machine's bun instead of the one in the unit. */
async function triedUnit(): Promise<void> {
  const path = join(home, 'corridor.service')
  await writeFile(
    path,
    (await opsText('corridor.service')).replace('/usr/local/bin/bun', process.execPath),
  )
  const verified = run(['systemd-analyze', 'verify', path])
  outcomes.push(['systemd takes the unit without a word', verified.isDone && verified.said === ''])
  const security = ['--offline=true', `--threshold=${EXPOSURE_MAX}`, path]
  const { isDone } = run(['systemd-analyze', 'security', ...security])
  outcomes.push([`systemd rates its exposure at most ${EXPOSURE_MAX / 10} of 10`, isDone])
}

type Proxy = {
  readonly port: number
  readonly child: Bun.Subprocess
  /** Its log of requests, if its configuration has one. */
  readonly log?: string
}
/** Starts a proxy that waits this many seconds for the next bytes of a response. */
type Start = (upstreamPort: string, waitSeconds: number) => Promise<Proxy>

/** Sends requests to a service through one of the proxies. */
async function triedBehind(name: string, start: Start): Promise<void> {
  const settings = {
    DATA_DIR: join(home, name),
    PUBLIC_URL: `https://${NAME}`,
    TRUST_PROXY: '1',
    BOARD_REQUESTS_PER_MINUTE: '2',
  }
  const service = await serve(settings)
  const proxies: Proxy[] = []
  try {
    const key = await treasuryKey(settings)
    const upstreamPort = new URL(service.url).port
    for (const seconds of [PATIENT_SECONDS, HASTY_SECONDS])
      proxies.push(await start(upstreamPort, seconds))
    const [patient, hasty] = proxies as [Proxy, Proxy]
    await untilOpen(patient.port)
    await untilOpen(hasty.port)
    await streamedThrough(name, { patient, hasty, key, service: service.url })
    await askedThrough(name, { port: patient.port, key })
    if (patient.log) await loggedBy(name, patient.port, patient.log)
  } finally {
    for (const { child } of proxies) {
      child.kill('SIGTERM')
      await child.exited
    }
    await service.stop()
  }
}

/** A key that may record, from an empty database with Corridor's starter currencies. */
async function treasuryKey(settings: Record<string, string>): Promise<string> {
  await command(['catalogue', 'starter'], settings)
  const owner = ['--email', 'a@example.com', '--plan', 'enterprise', '--role', 'treasury']
  return JSON.parse(await command(['account', 'create', ...owner, '--json'], settings)).key
}

type Streamed = {
  readonly patient: Proxy
  readonly hasty: Proxy
  readonly key: string
  readonly service: string
}

/** Reads streams through a proxy that waits long enough, and through one that does not. */
async function streamedThrough(
  name: string,
  { patient, hasty, key, service }: Streamed,
): Promise<void> {
  const right = (what: string, isRight: boolean) => outcomes.push([`${name}: ${what}`, isRight])
  const streamAt = ({ port }: Proxy) =>
    new ProxiedStream(lineOf(port, '/api/v1/stream?corridors=GBP/KES', ['-Ni', ...keyedBy(key)]))
  const row = { provider_id: 'wise', from: 'GBP', to: 'KES', fee: 0 }
  const record = (rate: number) =>
    asked(patient.port, '/api/v1/rates', [
      ...keyedBy(key),
      ...['-H', 'Content-Type: application/json', '-d', JSON.stringify({ ...row, rate })],
    ])
  const [long, short] = [streamAt(patient), streamAt(hasty)]
  const startMs = performance.now()
  const passed = (text: string) => comesTrue(PASSED_MS_MAX, () => long.has(text))
  right('a stream begins at once', await passed('event: hello'))
  right('it is HTTP/2', long.has('HTTP/2 200'))
  right('a price is recorded', record(171.5).status === 201)
  right('it arrives at once', await passed('"rate":171.5'))
  const isCut = await comesTrue(COMMENTS_MS_MAX, () => short.isOver)
  right(`comments are too rare for a proxy that waits ${HASTY_SECONDS} seconds`, isCut)
  const leastMs = 1.2 * PATIENT_SECONDS * 1000
  const isAlive = () => long.comments >= 2 && performance.now() - startMs > leastMs
  right('comments arrive', await comesTrue(COMMENTS_MS_MAX, isAlive))
  right('they keep a silent stream open', !long.isOver)
  record(172.5)
  right('a price arrives after that', await passed('"rate":172.5'))
  const open = async () =>
    (await (await fetch(new URL('/metrics', service))).text()).match(OPEN)?.[1]
  right('one stream is open', (await open()) === '1')
  await long.close()
  const isNoticed = await comesTrue(PASSED_MS_MAX, async () => (await open()) === '0')
  right('a reader who leaves leaves the service too', isNoticed)
}

async function askedThrough(
  name: string,
  { port, key }: { port: number; key: string },
): Promise<void> {
  const ask = (path: string, ...options: string[]) => asked(port, path, options)
  const right = (what: string, isRight: boolean) => outcomes.push([`${name}: ${what}`, isRight])
  right('the API answers', ask('/api/v1/status').text.includes('"version":"v1"'))
  for (const path of ['/metrics', '/METRICS/', '//metrics', '/x/../metrics', '/readyz'])
    right(`${path} is not for the world`, ask(path, '--path-as-is').status === 404)
  const keyed = [...keyedBy(key), '-H', 'Content-Type: application/json']
  const body = join(home, 'body.json')
  await writeFile(body, JSON.stringify([{ notes: 'x'.repeat(BODY_BYTES) }]))
  const tooLarge = ask('/api/v1/rates', ...keyed, '-d', `@${body}`)
  right('the service itself refuses a large body', tooLarge.text.includes('"body_too_large"'))
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name, version: '1' },
  }
  const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
  const accept = ['-H', 'Accept: application/json, text/event-stream']
  const tools = ask('/mcp', ...keyed, ...accept, '-d', initialize)
  right('the tool server takes the public name', tools.text.includes('"serverInfo"'))
  const boards = [1, 2, 3].map((i) => ask('/', '-H', `X-Forwarded-For: 203.0.113.${i}`).status)
  const refused = boards.map((status) => status === 429)
  right('a forged X-Forwarded-For changes nobody', refused.join() === 'false,false,true')
}

/** Expects a path in the log without its query, which may have a token. */
async function loggedBy(name: string, port: number, log: string): Promise<void> {
  asked(port, '/verify?token=secret', [])
  const text = () => Bun.file(log).text()
  const isLogged = await comesTrue(PASSED_MS_MAX, async () => (await text()).includes('/verify '))
  outcomes.push([`${name}: its log has no query`, isLogged && !(await text()).includes('?')])
}

async function nginx(upstreamPort: string, waitSeconds: number): Promise<Proxy> {
  const folder = await folderFor(`nginx-${waitSeconds}`)
  const log = join(folder, 'access.log')
  const port = freePort('127.0.0.1')
  const { certificate, key } = madeCertificate()
  const site = (await opsText('nginx.conf'))
    .replace('127.0.0.1:3000', `127.0.0.1:${upstreamPort}`)
    .replace('listen 80;', `listen 127.0.0.1:${freePort('127.0.0.1')};`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/ssl/corridor.pem', certificate)
    .replace('/etc/ssl/corridor.key', key)
    .replace('proxy_read_timeout 60s', `proxy_read_timeout ${waitSeconds}s`)
    .replace('/var/log/nginx/access.log', log)
  await writeFile(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ')
  const http = `http { access_log off; ${temporary} include ${join(folder, 'site.conf')}; }`
  const path = join(folder, 'nginx.conf')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(path, `${user} daemon off; pid ${folder}/nginx.pid; events {} ${http}`)
  const line = ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', path]
  const tested = run([...line, '-t'])
  outcomes.push(['nginx takes its configuration', tested.isDone && !tested.said.includes('[warn]')])
  return { port, child: started(line), log }
}

async function caddy(upstreamPort: string, waitSeconds: number): Promise<Proxy> {
  const folder = await folderFor(`caddy-${waitSeconds}`)
  const port = freePort('127.0.0.1')
  const { certificate, key } = madeCertificate()
  const own = `https://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`
  const formatted = run(['caddy', 'fmt', join(OPS, 'Caddyfile')])
  outcomes.push(['Caddy finds nothing to format', formatted.isDone])
  const site = (await opsText('Caddyfile'))
    .replace('127.0.0.1:3000', `127.0.0.1:${upstreamPort}`)
    .replace(`\n${NAME} {`, `\n${own}`)
    .replace('keepalive 20s', `keepalive 20s\n\t\t\tread_timeout ${waitSeconds}s`)
  const path = join(folder, 'Caddyfile.tried')
  await writeFile(path, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  const line = ['--config', path, '--adapter', 'caddyfile']
  outcomes.push(['Caddy takes its configuration', run(['caddy', 'validate', ...line]).isDone])
  return { port, child: started(['caddy', 'run', ...line]) }
}

function madeCertificate(): { certificate: string; key: string } {
  const [certificate, key] = [join(home, 'site.pem'), join(home, 'site.key')]
  const form = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${NAME}`]
  const names = ['-addext', `subjectAltName=DNS:${NAME}`]
  run(['openssl', 'req', ...form, ...names, '-keyout', key, '-out', certificate])
  return { certificate, key }
}

async function folderFor(name: string): Promise<string> {
  const folder = join(home, name)
  await mkdir(folder)
  return folder
}

function keyedBy(key: string): string[] {
  return ['-H', `X-API-Key: ${key}`]
}

/** The command line that requests a path from the proxy by the public name. */
function lineOf(port: number, path: string, options: readonly string[]): string[] {
  const where = ['--connect-to', `${NAME}:${port}:127.0.0.1:${port}`, '-H', `Host: ${NAME}`]
  return ['curl', '-sk', ...where, ...options, `https://${NAME}:${port}${path}`]
}

/** Sends a request to the proxy by the public name. */
function asked(port: number, path: string, options: string[]): { status: number; text: string } {
  const { said } = run(lineOf(port, path, [...options, '-w', '\n%{http_code}']))
  const end = said.lastIndexOf('\n')
  return { status: Number(said.slice(end + 1)), text: said.slice(0, end) }
}

function untilOpen(port: number): Promise<void> {
  const isOpen = async () => asked(port, '/api/v1/status', []).status === 200
  return until('an answer through the proxy', isOpen)
}

function started(line: string[]): Bun.Subprocess {
  return Bun.spawn(line, {
    env: { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
}

/** Runs a program to its end; `said` is all of its output. */
function run(line: string[]): { isDone: boolean; said: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(line, { stdin: 'ignore' })
  return { isDone: exitCode === 0, said: stdout.toString() + stderr.toString() }
}

function opsText(name: string): Promise<string> {
  return Bun.file(join(OPS, name)).text()
}
