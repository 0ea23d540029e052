import { bytesOf, type Exchange, exchangesOf, NAMES } from './recordings.ts'

/** A request that the replay received. */
export type Replayed = { readonly host: string; readonly path: string; readonly headers: Headers }

/** A local server for the hosts of all banks: it returns their recorded responses. */
export type Replay = {
  /** The value for QUOTE_SOURCES_VIA. */
  readonly via: string
  readonly asked: Replayed[]
  /** Overrides the recorded response; null for no override. */
  answer: (asked: Replayed, recorded: Response) => Response | null | Promise<Response | null>
  /** The maximum number of concurrent requests for pages of one host. */
  readonly atOnceMax: number
  stop(): void
}

type Options = {
  readonly folder?: string
  readonly port?: number
  /** Says whether a request recorded for other dates gets the response of those dates. */
  readonly isUndated?: boolean
}

/** Gives a recorded request its recorded response, and any other 404. */
export async function startReplay(options: Options = {}): Promise<Replay> {
  const { folder, port = 0, isUndated = false } = options
  const exchanges = (await Promise.all(NAMES.map((name) => exchangesOf(name, folder)))).flat()
  const asked: Replayed[] = []
  const running = new Map<string, number>()
  let atOnceMax = 0
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const [, host = '', ...path] = pathname.split('/')
      const one = { host, path: `/${path.join('/')}${search}`, headers: request.headers }
      asked.push(one)
      const count = (running.get(host) ?? 0) + 1
      running.set(host, count)
      atOnceMax = Math.max(atOnceMax, count)
      const question = { request, ...one, form: await request.text() }
      const recorded = recordedOf(exchanges, question, isUndated)
      try {
        return (await replay.answer(one, recorded)) ?? recorded
      } finally {
        running.set(host, running.get(host)! - 1)
      }
    },
  })
  const replay: Replay = {
    via: server.url.origin,
    asked,
    answer: () => null,
    get atOnceMax() {
      return atOnceMax
    },
    stop: () => void server.stop(true),
  }
  return replay
}

type Question = Pick<Replayed, 'host' | 'path'> & {
  readonly request: Request
  readonly form: string
}

function recordedOf(
  exchanges: readonly Exchange[],
  { request, host, path, form }: Question,
  isUndated: boolean,
): Response {
  const asked = `${request.method} https://${host}${path} ${form}`
  const textOf = ({ method, url, request_body }: Exchange) => `${method} ${url} ${request_body}`
  const found =
    exchanges.find((exchange) => textOf(exchange) === asked) ??
    (isUndated
      ? exchanges.findLast((exchange) => undated(textOf(exchange)) === undated(asked))
      : undefined)
  if (!found) return new Response('nothing was recorded', { status: 404 })
  const headers = { 'content-type': found.content_type }
  return new Response(bytesOf(found), { status: found.status, headers })
}

/** The string with every date in it blanked. */
const undated = (text: string): string =>
  text.replace(/\d{4}-\d{2}-\d{2}|\d{2}(\/|%2F)\d{2}(\/|%2F)\d{4}/g, 'DATE')

if (import.meta.main) {
  const [folder, port] = process.argv.slice(2)
  const { via } = await startReplay({
    ...(folder && { folder }),
    port: Number(port ?? 0),
    isUndated: true,
  })
  process.stdout.write(`QUOTE_SOURCES_VIA=${via}\n`)
}
