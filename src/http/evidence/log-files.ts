import type { Clock } from '~/clock.ts'
import { pathOf } from '~/http/path.ts'
import { type Headers, orError } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { Log } from '~/log.ts'
import { type LogReader, logHead, logTile } from '~/service/evidence/log.ts'

export type LogFileDeps = {
  readonly evidence: LogReader
  readonly clock: Clock
  readonly log: Log
}

const CHECKPOINT = '/log/checkpoint'
const TILES = '/log/tile/*'

/** Anybody may verify the log, from a page of any origin. */
const OPEN = { 'access-control-allow-origin': '*' }
const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const BYTES = { 'content-type': 'application/octet-stream' }
const BRIEFLY = { 'cache-control': 'public, max-age=5' }
/** A tile of a size never changes; a database that lost some of them begins another origin. */
const LONG = { 'cache-control': 'public, max-age=86400, immutable' }

/** The files of the verifiable log. https://c2sp.org/tlog-tiles */
export const logFileRoutes = (deps: LogFileDeps): Route[] => [
  fileRoute(deps, CHECKPOINT, async () => ({
    body: await logHead(deps.evidence),
    headers: { ...TEXT, ...BRIEFLY },
  })),
  fileRoute(deps, TILES, async (path) => {
    const tile = path.slice(path.indexOf('/log/') + '/log/'.length)
    const bytes = await logTile(deps.evidence, tile, deps.clock.now())
    return { body: new Uint8Array(bytes), headers: { ...BYTES, ...LONG } }
  }),
]

type File = { readonly body: string | Uint8Array<ArrayBuffer>; readonly headers: Headers }

const fileRoute = (
  { log }: LogFileDeps,
  path: string,
  found: (path: string) => Promise<File>,
): Route => ({
  method: 'GET',
  path,
  handle: orError({ log, headers: OPEN }, async (request) => {
    const { body, headers } = await found(pathOf(request.url))
    return new Response(body, { headers: { ...headers, ...OPEN } })
  }),
})
