import type { Socket } from 'bun'

/** Streams that this process opens, read from the first line of its input. */
export type Readers = {
  readonly origin: string
  /** Each stream's path with its query, and the key that opens it. */
  readonly streams: readonly { readonly path: string; readonly key: string }[]
}

/** The number of streams that sent each rate, as written, and the time of the last one. */
export type Heard = Record<string, { count: number; lastMs: number }>

/** The number of streams that connect at once. */
const CONNECTING = 10
const EVENT_END = '\n\n'
const QUOTE = /event: quote\ndata: [^\n]*?"rate":([\d.]+)/g

const heard: Heard = {}

/** Opens a stream; resolves with its hello. */
async function open(origin: URL, { path, key }: Readers['streams'][number]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const head = `GET ${path} HTTP/1.1\r\nHost: ${origin.host}\r\nX-API-Key: ${key}\r\n\r\n`
  let rest = ''
  await Bun.connect({
    hostname: origin.hostname,
    port: Number(origin.port),
    socket: {
      open: (socket: Socket) => void socket.write(head),
      data(_, chunk) {
        const nowMs = performance.timeOrigin + performance.now()
        const text = rest + chunk.toString('latin1')
        const end = text.lastIndexOf(EVENT_END)
        rest = text.slice(Math.max(end, 0))
        if (end < 0) return
        const whole = text.slice(0, end)
        if (whole.includes('event: hello')) resolve()
        if (/event: (slow|ended|reset)/.test(whole)) fail(`a stream received: ${whole}`)
        note(whole, nowMs)
      },
      close: () => {
        reject(new Error(`a stream was not opened: ${rest}`))
        fail('a stream was closed')
      },
    },
  })
  return promise
}

function note(text: string, nowMs: number): void {
  for (const [, rate] of text.matchAll(QUOTE)) {
    heard[rate!] ??= { count: 0, lastMs: 0 }
    const one = heard[rate!]!
    one.count += 1
    one.lastMs = nowMs
  }
}

function fail(message: string): void {
  console.error(message)
  process.exit(1)
}

async function openAll({ origin, streams }: Readers): Promise<void> {
  const waiting = [...streams]
  const url = new URL(origin)
  const work = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) await open(url, one)
  }
  await Promise.all(Array.from({ length: CONNECTING }, work))
}

let isOpen = false
for await (const line of console) {
  if (isOpen) {
    process.stdout.write(`${JSON.stringify(heard)}\n`, () => process.exit(0))
    break
  }
  await openAll(JSON.parse(line))
  isOpen = true
  process.stdout.write('open\n')
}
