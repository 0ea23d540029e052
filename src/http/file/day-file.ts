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
import {
  type CorrectionStore,
  correctFiles,
  type DayFile,
  type DayFileStore,
  type DayFileWriter,
  dayFileOf,
} from '~/service/file/day-file.ts'
import { textsOf } from '~/wire/list/text.ts'
import { FIRST_MS } from '~/wire/moment.ts'
import { EditionQuery } from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'
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
        '`data_freshness`. A file is there an hour after the day has ended, and is made of what ' +
        'was known then. After a later correction there is a second edition; a Link header names ' +
        'the newest. No edition ever changes.',
      errors: ['unknown_file', 'database_unavailable', 'overloaded'],
      path: Type.Object({
        date: Type.String({
          description: 'A UTC calendar date, YYYY-MM-DD, that has ended.',
          format: 'date',
          examples: ['2026-03-04'],
        }),
      }),
      query: EditionQuery,
      ...{ access: 'key', isMetered: true, isTiered: false, isTagged: true },
      file: { medium: 'application/gzip', description: 'A CSV file, compressed by gzip.' },
      success: { status: 200, body: Type.Unknown() },
      mayCarry: ['Content-Disposition', 'Link'],
    },
    handle: async (request) => {
      const path = pathOf(request.url)
      if (!isNameOfFile(path)) return errorReply(noSuchPath, deps.log)
      const metered = new MeteredRequest(deps, request)
      const refusal = await metered.begin()
      if (refusal) return metered.failed(refusal)
      try {
        const { edition } = readQuery(EditionQuery, request.url)
        const day = dayIn(path)
        const asked = { day, edition, nowMs: metered.freshness().nowMs }
        const file = await keptDayFile(deps, asked)
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
      headers: { location: `..${BASE_PATH}/files/${name}${new URL(request.url).search}` },
    })
  },
}

type Asked = { readonly day: string; readonly edition?: number | undefined; readonly nowMs: number }

/** The file of a day, made if nobody has asked for it yet. Throws as `dayFileOf` does. */
export const keptDayFile = (deps: DayFileDeps, { day, edition = 1, nowMs }: Asked) =>
  dayFileOf(deps.dayFiles, viewAt(deps, nowMs), {
    ...{ dateMs: dateMsOf(day)!, day, edition },
    write: writerAt(deps, nowMs),
  })

type CorrectingDeps = Omit<DayFileDeps, 'dayFiles'> & { readonly corrections: CorrectionStore }

/** Makes the editions of files before a day that corrections call for, and answers how many. */
export const correctedDayFiles = (deps: CorrectingDeps, { day, nowMs }: Asked): Promise<number> =>
  correctFiles(deps.corrections, viewAt(deps, nowMs), { day, write: writerAt(deps, nowMs) })

type Writing = Omit<DayFileDeps, 'dayFiles'>

const viewAt = ({ memory, ageLimits }: Writing, nowMs: number): View =>
  new View(memory.current, freshnessAt('realtime', nowMs, memory.isSample), ageLimits)

/** What writes snapshots as a file; their times are not among its columns. */
const writerAt =
  ({ memory }: Writing, nowMs: number): DayFileWriter =>
  (snapshots, day) => {
    const freshness = freshnessAt('realtime', nowMs, memory.isSample)
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

type Kept = { readonly day: string; readonly file: DayFile }

function replyOf(request: Request, { day, file }: Kept, quota: Record<string, string>): Response {
  const { content, edition, editions } = file
  const etag = `W/"${Bun.hash.xxHash3(content).toString(36)}"`
  const link = edition < editions && `<?edition=${editions}>; rel="latest-version"`
  const headers = { ...quota, 'cache-control': CACHE_CONTROL, etag, ...(link && { link }) }
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers })
  const name = edition > 1 ? `${day}-edition-${edition}` : day
  return new Response(content, {
    headers: {
      ...headers,
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="corridor-${name}.csv.gz"`,
    },
  })
}
