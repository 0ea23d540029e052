import { ServiceError } from '~/domain/errors.ts'
import type { AccessDeps } from '~/http/access.ts'
import { answerReply } from '~/http/answer.ts'
import { isHeld } from '~/http/entity-tag.ts'
import { MeteredRequest } from '~/http/metered-request.ts'
import { BASE_PATH, pathOf } from '~/http/path.ts'
import { errorReply, type Headers } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { type FileStore, type KeptFile, partsOf } from '~/service/file/kept-file.ts'
import { isDay, type Period, periodOf } from '~/service/file/period.ts'
import { fileName, presentFiles } from '~/wire/file/listed.ts'
import { FIRST_MS } from '~/wire/moment.ts'
import { EditionQuery, NoQuery } from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'
import { type FileDeps, keptFile } from './making.ts'
import { DAY_FILE, FILE_INDEX, MONTH_FILE } from './operations.ts'
import { streamOf } from './stream.ts'

const PATH = '/files/:file'
const FILE = /\/files\/(\d{4}-\d{2}-\d{2}(?=\.csv\.gz)|\d{4}-\d{2}(?=\.parquet))\.[a-z.]+\/?$/

/** An edition never changes; but it costs a unit, and belongs to those with a key. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable'

export const fileRoutes = (deps: AccessDeps & FileDeps): Route[] => [
  {
    method: 'GET',
    path: '/files/index.json',
    operation: FILE_INDEX,
    handle: (request) =>
      metered(deps, request, async ({ quota }) => {
        readQuery(NoQuery, request.url)
        const body = presentFiles(await deps.files.list())
        return answerReply(request, { answer: { body, basis: body }, list: null }, quota)
      }),
  },
  {
    method: 'GET',
    path: PATH,
    shownAs: '/files/{date}.csv.gz',
    operation: DAY_FILE,
    handle: fileHandler(deps),
  },
  {
    method: 'GET',
    path: PATH,
    fits: (path) => /\.parquet\/?$/.test(path),
    shownAs: '/files/{month}.parquet',
    operation: MONTH_FILE,
    handle: fileHandler(deps),
  },
]

/** A shorter address of the files, for people who type it. */
export const fileShortcut: Route = {
  method: 'GET',
  path: PATH,
  handle: (request) => {
    const name = pathOf(request.url).replace(/\/$/, '').split('/').at(-1)
    return new Response(null, {
      status: 308,
      headers: { location: `..${BASE_PATH}/files/${name}${new URL(request.url).search}` },
    })
  },
}

type Asked = { readonly nowMs: number; readonly quota: Headers }

async function metered(
  deps: AccessDeps,
  request: Request,
  answer: (asked: Asked) => Promise<Response>,
): Promise<Response> {
  const metering = new MeteredRequest(deps, request)
  const refusal = await metering.begin()
  if (refusal) return metering.failed(refusal)
  try {
    const { nowMs } = metering.freshness()
    return await answer({ nowMs, quota: metering.quotaHeaders() })
  } catch (error) {
    return metering.failed(error)
  }
}

const fileHandler = (deps: AccessDeps & FileDeps) => async (request: Request) => {
  const path = pathOf(request.url)
  if (!/\.(csv\.gz|parquet)\/?$/.test(path)) return errorReply(noSuchPath, deps.log)
  return metered(deps, request, async ({ nowMs, quota }) => {
    const { edition } = readQuery(EditionQuery, request.url)
    const file = await keptFile(deps, { period: periodIn(path), edition, nowMs })
    return replyOf(deps.files, request, { file, quota })
  })
}

const EXAMPLE =
  'files are named after a UTC day, such as 2026-03-04.csv.gz, or month, such as 2026-02.parquet'
const noSuchPath = new ServiceError('unknown_path', `no such path; ${EXAMPLE}`)

/** The period that a path names. Throws for one that names no file. */
function periodIn(path: string): Period {
  const period = periodOf(FILE.exec(path)?.[1] ?? '')
  if (period && period.startMs >= FIRST_MS) return period
  throw new ServiceError('unknown_file', `there is no such file; ${EXAMPLE}`)
}

type Kept = { readonly file: KeptFile; readonly quota: Headers }

/** The file as it is read from the database, so that no file is in memory as a whole. */
function replyOf(files: FileStore, request: Request, { file, quota }: Kept): Response {
  const { period, edition, editions, bytes, digest } = file
  const etag = `W/"${digest}"`
  const link = edition < editions && `<?edition=${editions}>; rel="latest-version"`
  const headers = { ...quota, 'cache-control': CACHE_CONTROL, etag, ...(link && { link }) }
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers })
  const suffix = edition > 1 ? `-edition-${edition}` : ''
  return new Response(streamOf(partsOf(files, file)), {
    headers: {
      ...headers,
      'content-type': (isDay(period) ? DAY_FILE : MONTH_FILE).file.medium,
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="corridor-${fileName(period, suffix)}"`,
    },
  })
}
