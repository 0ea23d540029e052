import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const MAIN = join(ROOT, 'src/main.ts')
/** Lines of about 330 bytes: more than the pipe and the waiting lines hold together. */
const REQUESTS = 4500
/** As many for two processes, each of which has as many waiting lines. */
const REQUESTS_OF_TWO = 8000
const AT_ONCE = 50
const STOP_MS_MAX = 10_000

const databases: FreshDatabase[] = []
const begun: { kill(signal: 'SIGKILL'): void; readonly exited: Promise<number> }[] = []

afterEach(async () => {
  for (const child of begun.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
  for (const database of databases.splice(0)) await database.close()
})

/** A reader of stderr that can stop and continue. */
class Reader {
  #text = ''

  private constructor(private readonly path: string) {}

  static async at(): Promise<Reader> {
    const path = join(await scratchFolder(), 'stderr')
    spawnSync('mkfifo', [path])
    return new Reader(path)
  }

  /** Opens both ends, so that opening one does not wait for the other; nothing is read yet. */
  opened(): { readonly fd: number; close(): void } {
    const fd = openSync(this.path, constants.O_RDWR)
    return { fd, close: () => closeSync(fd) }
  }

  /** Reads on until the lines are `enough`. */
  async read(enough: (lines: Line[]) => boolean): Promise<Line[]> {
    const file = await open(this.path, constants.O_RDONLY | constants.O_NONBLOCK)
    const buffer = Buffer.alloc(65_536)
    await until('the lines', async () => {
      const { bytesRead } = await file.read(buffer).catch(() => ({ bytesRead: 0 }))
      this.#text += buffer.toString('utf8', 0, bytesRead)
      return bytesRead === 0 && enough(this.#lines())
    })
    await file.close()
    return this.#lines()
  }

  #lines(): Line[] {
    const lines = this.#text.split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line))
  }
}

type Line = {
  readonly level: string
  readonly msg: string
  readonly worker?: number
  readonly request_id?: string
  readonly lines?: number
}

/** A service whose stderr is not read yet. */
async function serveUnread(settings: Record<string, string> = {}) {
  const database = await freshDatabase()
  databases.push(database)
  const reader = await Reader.at()
  const pipe = reader.opened()
  const child = Bun.spawn([process.execPath, MAIN, 'serve'], {
    env: {
      ...BARE_ENV,
      ...{ DATABASE_URL: database.url, PORT: '0' },
      ...{ REFERENCE_FEED: 'none', LOG_LEVEL: 'debug', LOG_FORMAT: 'json' },
      ...settings,
    },
    stdout: 'pipe',
    stderr: pipe.fd,
  })
  begun.push(child)
  const { value } = await child.stdout.getReader().read()
  const { origin } = new URL(/http:\S+/.exec(new TextDecoder().decode(value))![0])
  return { child, reader, pipe, origin }
}

/** Sends so many requests that the log lines fit nowhere. */
async function flood(origin: string, requests = REQUESTS): Promise<void> {
  const id = 'x'.repeat(120)
  const asked = async () => {
    for (let i = 0; i < requests / AT_ONCE; i++) {
      const reply = await fetch(`${origin}/healthz`, { headers: { 'x-request-id': id } })
      expect(reply.status).toBe(200)
      await reply.body?.cancel()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, asked))
}

describe('a reader of stderr that has stopped', () => {
  test('delays neither responses nor the end, even with more lines than fit', async () => {
    const { child, pipe, origin } = await serveUnread()
    await flood(origin)
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    const startMs = performance.now()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(performance.now() - startMs).toBeLessThan(STOP_MS_MAX)
    pipe.close()
  })

  test('does not delay a worker either', async () => {
    const { child, pipe, origin } = await serveUnread({ WORKERS: '2' })
    await flood(origin, REQUESTS_OF_TWO)
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    pipe.close()
  })

  test('receives the number of lines that it missed when it reads again, and then every line', async () => {
    const { pipe, reader, origin } = await serveUnread()
    await flood(origin)
    const missed = await reader.read((lines) => lines.some(({ msg }) => LEFT_OUT.test(msg)))
    const notes = missed.filter(({ msg }) => LEFT_OUT.test(msg))
    const written = missed.filter(({ msg }) => msg === 'request').length
    expect(notes.every(({ level }) => level === 'warn')).toBe(true)
    expect(written + notes.reduce((sum, { lines = 0 }) => sum + lines, 0)).toBe(REQUESTS)
    await fetch(`${origin}/healthz`, { headers: { 'x-request-id': 'afterwards' } })
    const later = await reader.read((lines) =>
      lines.some(({ request_id }) => request_id === 'afterwards'),
    )
    expect(later.length).toBeGreaterThan(missed.length)
    pipe.close()
  })

  test('does not end the service by disconnecting', async () => {
    const { child, pipe, origin } = await serveUnread()
    pipe.close()
    await flood(origin)
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })
})

const LEFT_OUT = /^lines of the log were left out/
