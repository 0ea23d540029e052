import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { AccessDeps } from '~/http/access.ts'
import { isHeld } from '~/http/entity-tag.ts'
import { MeteredRequest } from '~/http/metered-request.ts'
import { BASE_PATH, pathOf } from '~/http/path.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import { type DayFileStore, type DayFileWriter, dayFileOf } from '~/service/file/day-file.ts'
import { textsOf } from '~/wire/list/text.ts'
import { FIRST_MS } from '~/wire/moment.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { dayFileList, presentSnapshot } from '~/wire/snapshot.ts'

export type DayFileDeps = Pick<AccessDeps, 'memory' | 'ageLimits'> & {
  readonly dayFiles: DayFileStore
}

const PATH = '/files/:file'
const FILE = /\/files\/(\d{4}-\d{2}-\d{2})\.csv\.gz\/?$/

/** A file never changes; but it costs a unit, and belongs to those with a key. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable'

export const dayFileRoutes = (deps: AccessDeps & DayFileDeps): Route[] => [
  {
    method: 'GET',
    path: PATH,
    shownAs: '/files/{date}.csv.gz',
    operation: {
      id: 'getDayFile',
      tag: 'Rates',
      summary: 'Every price of a day, of all corridors, as one file',
      description:
        'Every offer of every corridor at the end of a UTC day, as /historical has it with ' +
        '`offers=all`, and in the columns of its CSV but `note`, `timestamp` and ' +
        '`data_freshness`. A file is there an hour after the day has ended. It is made once: ' +
        'what is recorded later for that day is in /historical alone.',
      errors: ['unknown_file', 'database_unavailable', 'overloaded'],
      path: Type.Object({
        date: Type.String({
          description: 'A UTC calendar date, YYYY-MM-DD, that has ended.',
          format: 'date',
          examples: ['2026-03-04'],
        }),
      }),
      query: NoQuery,
      ...{ access: 'key', isMetered: true, isTiered: false, isTagged: true },
      file: { medium: 'application/gzip', description: 'A CSV file, compressed by gzip.' },
      success: { status: 200, body: Type.Unknown() },
      mayCarry: ['Content-Disposition'],
    },
    handle: async (request) => {
      const path = pathOf(request.url)
      if (!isNameOfFile(path)) return errorReply(noSuchPath, deps.log)
      const metered = new MeteredRequest(deps, request)
      const refusal = await metered.begin()
      if (refusal) return metered.failed(refusal)
      try {
        const day = dayIn(path)
        const file = await keptDayFile(deps, day, metered.freshness().nowMs)
        return replyOf(request, { day, file }, metered.quotaHeaders())
      } catch (error) {
        return metered.failed(error)
      }
    },
  },
]

/** A shorter address of the files, for people who type it. */
export const dayFileShortcut: Route = {
  method: 'GET',
  path: PATH,
  handle: (request) => {
    const name = pathOf(request.url).replace(/\/$/, '').split('/').at(-1)
    return new Response(null, {
      status: 308,
      headers: { location: `..${BASE_PATH}/files/${name}` },
    })
  },
}

/** The file of a day as of now, made if nobody has asked for it yet. Throws as `dayFileOf` does. */
export function keptDayFile(
  { memory, ageLimits, dayFiles }: DayFileDeps,
  day: string,
  nowMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const freshness = freshnessAt('realtime', nowMs, memory.isSample)
  const view = new View(memory.current, freshness, ageLimits)
  const write: DayFileWriter = (snapshots) => {
    const texts = async function* () {
      const { names } = dayFileList
      let isContinued = false
      for await (const snapshot of snapshots) {
        const rows = dayFileList.rows(presentSnapshot(snapshot, day, freshness))
        yield* textsOf(rows, { names, format: 'csv', isContinued })
        isContinued = true
      }
    }
    return buffer(Readable.from(texts()).pipe(createGzip())).then((bytes) => new Uint8Array(bytes))
  }
  return dayFileOf(dayFiles, view, { dateMs: dateMsOf(day)!, day, write })
}

const isNameOfFile = (path: string): boolean => /\.csv\.gz\/?$/.test(path)

const EXAMPLE = 'files are named after a UTC day, such as 2026-03-04.csv.gz'
const noSuchPath = new ServiceError('unknown_path', `no such path; ${EXAMPLE}`)

/** The day that a path names. Throws for one that names no file. */
function dayIn(path: string): string {
  const day = FILE.exec(path)?.[1]
  const dateMs = day === undefined ? null : dateMsOf(day)
  if (dateMs !== null && dateMs >= FIRST_MS) return day!
  throw new ServiceError('unknown_file', `there is no such file; ${EXAMPLE}`)
}

type Kept = { readonly day: string; readonly file: Uint8Array<ArrayBuffer> }

function replyOf(request: Request, { day, file }: Kept, quota: Record<string, string>): Response {
  const etag = `W/"${Bun.hash.xxHash3(file).toString(36)}"`
  const headers = { ...quota, 'cache-control': CACHE_CONTROL, etag }
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers })
  return new Response(file, {
    headers: {
      ...headers,
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="corridor-${day}.csv.gz"`,
    },
  })
}
