import { chmod, chown, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '~/runtime/listener.ts'
import { newAuthority, signedFor } from '../support/certificates.ts'
import { scriptOutput } from '../support/child.ts'
import { emailOf } from '../support/imap-server.ts'
import { preferMemory } from '../support/scratch.ts'

/**
 * Tests connectors on the servers that partners run: OpenSSH for SFTP, with a key and a host key
 * that changes, and Dovecot for IMAP, with TLS from the beginning and by STARTTLS.
 */
const PACKAGES = { sshd: 'openssh-server', dovecot: 'dovecot-imapd' }
const START_TRIES_MAX = 100
const HOUR_SECONDS = 3600
/** The Debian user that owns the mailbox, since Dovecot does not read root's. */
const MAIL_USER = 8

const env = { PATH: `${process.env.PATH}:/usr/sbin` }
const missing = Object.keys(PACKAGES).filter((tool) => !Bun.which(tool, env))
if (missing.length > 0) {
  const names = missing.map((tool) => (PACKAGES as Record<string, string>)[tool])
  console.log(`${missing.join(', ')}: not here; apt-get install ${names.join(' ')}`)
  console.log(`0 passed, ${missing.length} failed`)
  process.exit(1)
}

const outcomes: [string, boolean][] = []
await preferMemory()
const home = await mkdtemp(join(tmpdir(), 'corridor-servers-'))
await chmod(home, 0o755)
const connectors = join(home, 'connectors')
/** The current user; the environment need not name it. */
const user = Bun.spawnSync(['id', '-un']).stdout.toString().trim()
const mailFolder = join(home, 'mail')
await mkdir(connectors)
const authority = newAuthority('A test authority')
await writeFile(join(home, 'authority.pem'), authority.cert)
const settings = {
  ...{ DATA_DIR: join(home, 'data'), CONNECTORS: connectors, CONNECTORS_ALLOW: 'localhost' },
  ...{ REFERENCE_FEED: 'none', NODE_EXTRA_CA_CERTS: join(home, 'authority.pem') },
  ...{ ACME_PASSWORD: 'a-password', ACME_WRONG: 'another' },
}
const running = new Set<Bun.Subprocess>()
try {
  await corridor(['catalogue', 'starter'])
  await triedSsh()
  await triedDovecot()
} finally {
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(Array.from(running, ({ exited }) => exited))
  await rm(home, { recursive: true, force: true })
}
for (const [what, isRight] of outcomes) console.log(`${isRight ? 'right' : 'WRONG'}: ${what}`)
const failed = outcomes.filter(([, isRight]) => !isRight).length
console.log(`${outcomes.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function triedSsh(): Promise<void> {
  const right = (what: string, isRight: boolean) => outcomes.push([`OpenSSH: ${what}`, isRight])
  const folder = join(home, 'outgoing')
  await mkdir(folder)
  await wroteFile(join(folder, 'today.csv'), 171.5)
  const login = keyPair('login')
  await Bun.write(join(home, 'authorized'), await Bun.file(`${login}.pub`).text())
  const sshd = await startedSshd(keyPair('host'))
  const port = sshd.port
  const from = (hostKey: string, more = '') =>
    `{ url: "sftp://${user}@localhost:${port}${folder}/*.csv", ` +
    `key: "\${ACME_KEY}", host_key: "${hostKey}"${more} }`
  const secret = { ACME_KEY: await Bun.file(login).text() }
  const known = scanned(port)
  right('ssh-keyscan and ssh-keygen print a host key', known.startsWith('SHA256:'))
  const read = await ran(from(known), secret)
  right('a file is read with a key', read.includes('1 recorded'))
  right('the same file is not read again', (await ran(from(known), secret)).includes('no new file'))
  const other = await ran(from(known), { ACME_KEY: await Bun.file(keyPair('other')).text() })
  right('a key of others is refused', other.includes('refused the user, the password or the key'))
  await wroteFile(join(folder, 'today.csv'), 172.5)
  sshd.child.kill('SIGTERM')
  await sshd.child.exited
  const changed = await startedSshd(keyPair('host-2'), port)
  const unlike = await ran(from(known), secret)
  right('a changed host key is refused', unlike.includes('shows another host key'))
  const accepted = await ran(from(scanned(changed.port)), secret)
  right('the new one is taken once it stands in the file', accepted.includes('1 recorded'))
}

async function triedDovecot(): Promise<void> {
  const right = (what: string, isRight: boolean) => outcomes.push([`Dovecot: ${what}`, isRight])
  const ports = await startedDovecot()
  const from = (kind: keyof typeof ports, more = '') =>
    `{ url: "${kind}://prices@localhost:${ports[kind]}/INBOX/*.csv", ` +
    `password: "\${ACME_PASSWORD}", sender: prices@partner.example${more} }`
  const read = await ran(from('imaps'))
  right('an attachment is read over TLS', read.includes('1 recorded'))
  right('the same is not read again', (await ran(from('imaps'))).includes('no new file'))
  await sent(172.5, 'Rates of today')
  const subject = await ran(from('imap', ', subject: "of today"'))
  right('another is found by its subject, over STARTTLS', subject.includes('1 recorded'))
  const untrusted = await ran(from('imaps'), { NODE_EXTRA_CA_CERTS: '' })
  right('a certificate of nobody is refused', untrusted.includes('cannot be trusted over TLS'))
  const wrong = await ran(from('imaps').replace('ACME_PASSWORD', 'ACME_WRONG'))
  right('another password is refused', wrong.includes('refused the user or the password'))
  const elsewhere = await ran(from('imaps').replace('INBOX', 'Prices'))
  right('a missing mailbox is named', elsewhere.includes('has no mailbox of that name'))
}

/** Returns the output of a run of a connector with this source. */
async function ran(from: string, secrets: Record<string, string> = {}): Promise<string> {
  const row = `{ from: '"GBP"', to: To, rate: Rate }`
  const lines = ['name: acme', 'provider: wise', `from: ${from}`, 'format: csv', `row: ${row}`]
  await writeFile(join(connectors, 'acme.yaml'), `${lines.join('\n')}\nterms: ours\n`)
  return corridor(['connectors', 'run', 'acme'], secrets)
}

async function corridor(args: readonly string[], more: Record<string, string> = {}) {
  const { stdout, stderr } = await scriptOutput(['src/main.ts', ...args], { ...settings, ...more })
  return stdout + stderr
}

function table(rate: number): string {
  return `To,Rate\nKES,${rate}\n`
}

async function wroteFile(path: string, rate: number): Promise<void> {
  await writeFile(path, table(rate))
  const at = Date.now() / 1000 - HOUR_SECONDS
  await utimes(path, at, at)
}

/** The path of a new OpenSSH key, next to its public half. */
function keyPair(name: string): string {
  const path = join(home, name)
  Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', path])
  return path
}

function scanned(port: number): string {
  const found = Bun.spawnSync(['ssh-keyscan', '-t', 'ed25519', '-p', String(port), 'localhost'])
  const printed = Bun.spawnSync(['ssh-keygen', '-lf', '-'], { stdin: found.stdout })
  return printed.stdout.toString().split(' ')[1] ?? ''
}

type Started = { readonly child: Bun.Subprocess; readonly port: number }

async function startedSshd(hostKey: string, port = freePort('127.0.0.1')): Promise<Started> {
  const path = join(home, 'sshd.conf')
  const lines = [
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${join(home, 'authorized')}`,
    `PidFile ${join(home, 'sshd.pid')}`,
    ...['StrictModes no', 'UsePAM no', 'PasswordAuthentication no'],
    ...['PermitRootLogin prohibit-password', 'Subsystem sftp internal-sftp'],
    ...[`Port ${port}`, 'ListenAddress localhost'],
  ]
  await writeFile(path, lines.join('\n'))
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true })
  const sshd = Bun.which('sshd', env)!
  return { child: await started([sshd, '-D', '-e', '-f', path], port), port }
}

async function sent(rate: number, subject: string): Promise<void> {
  const name = join(mailFolder, 'new', `${Date.now()}.${rate}.localhost`)
  await writeFile(name, emailOf({ content: Buffer.from(table(rate)), subject, atMs: Date.now() }))
  if (process.getuid?.() === 0) await chown(name, MAIL_USER, MAIL_USER)
}

async function startedDovecot() {
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? MAIL_USER : process.getuid!()
  for (const name of ['', 'cur', 'new', 'tmp']) {
    await mkdir(join(mailFolder, name), { recursive: true })
    if (isRoot) await chown(join(mailFolder, name), MAIL_USER, MAIL_USER)
  }
  await sent(171.5, 'Rates of yesterday')
  const { key, cert } = signedFor('localhost', authority)
  const [keyPath, certPath] = [join(home, 'imap.key'), join(home, 'imap.pem')]
  await Promise.all([writeFile(keyPath, key), writeFile(certPath, cert)])
  const ports = { imap: freePort('127.0.0.1'), imaps: freePort('127.0.0.1') }
  const path = join(home, 'dovecot.conf')
  const listener = (name: string, port: number) => `inet_listener ${name} {\n port = ${port}\n`
  await writeFile(
    path,
    `base_dir = ${home}/run
state_dir = ${home}/run
log_path = ${home}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${certPath}
ssl_key = <${keyPath}
mail_location = maildir:${mailFolder}
first_valid_uid = 1
first_valid_gid = 1
passdb {\n driver = static\n args = password=${settings.ACME_PASSWORD}\n}
userdb {\n driver = static\n args = uid=${owner} gid=${owner} home=${home}/run\n}
service imap-login {
${listener('imap', ports.imap)} }
${listener('imaps', ports.imaps)} ssl = yes\n }
}
`,
  )
  await started([Bun.which('dovecot', env)!, '-F', '-c', path], ports.imaps)
  return ports
}

/** A started server, once its port is open. */
async function started(line: readonly string[], port: number): Promise<Bun.Subprocess> {
  const child = Bun.spawn([...line], { stdout: 'ignore', stderr: 'ignore' })
  running.add(child)
  for (let tries = 0; tries < START_TRIES_MAX; tries++) {
    const isOpen = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
      (socket) => {
        socket.end()
        return true
      },
      () => false,
    )
    if (isOpen) return child
    await delay(100)
  }
  throw new Error(`${line[0]} does not listen`)
}
