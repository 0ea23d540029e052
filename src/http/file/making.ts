import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { freshnessAt } from '~/domain/freshness.ts'
import type { AccessDeps } from '~/http/access.ts'
import type { Log } from '~/log.ts'
import { View } from '~/memory/view.ts'
import { dayMaker } from '~/service/file/day-file.ts'
import {
  type CorrectionStore,
  correctFiles,
  type FileMaker,
  type FileStore,
  fileOf,
  type KeptFile,
} from '~/service/file/kept-file.ts'
import { type MonthWriter, monthMaker } from '~/service/file/month-file.ts'
import { isDay, type Period } from '~/service/file/period.ts'
import { textsOf } from '~/wire/list/text.ts'
import { dayFileList, presentSnapshot } from '~/wire/snapshot.ts'

type MakingDeps = Pick<AccessDeps, 'memory' | 'ageLimits'> & {
  readonly log: Pick<Log, 'error'>
  readonly monthWriter: (notes: Readonly<Record<string, string>>) => MonthWriter
}

export type FileDeps = MakingDeps & { readonly files: FileStore }

type Asked = {
  readonly period: Period
  readonly edition?: number | undefined
  readonly nowMs: number
}

/** The file of a period, made if it is not stored. Throws as `fileOf` does. */
export const keptFile = (
  deps: FileDeps,
  { period, edition = 1, nowMs }: Asked,
): Promise<KeptFile> =>
  fileOf(deps.files, viewAt(deps, nowMs), {
    ...{ period, edition },
    make: makerAt(deps, nowMs)(period),
    onSpoilt: ({ digest }) =>
      deps.log.error(
        { period: period.name, edition, digest },
        'a file does not have its digest; made again',
      ),
  })

type CorrectingDeps = MakingDeps & { readonly corrections: CorrectionStore }

/**
 * Creates the editions of files before a day that corrections require, and returns their number.
 */
export const correctedFiles = (
  deps: CorrectingDeps,
  { before, nowMs }: { readonly before: string; readonly nowMs: number },
): Promise<number> =>
  correctFiles(deps.corrections, viewAt(deps, nowMs), { before, makerOf: makerAt(deps, nowMs) })

const viewAt = ({ memory, ageLimits }: MakingDeps, nowMs: number): View =>
  new View(memory.current, freshnessAt('realtime', nowMs, memory.isSample), ageLimits)

const makerAt =
  (deps: MakingDeps, nowMs: number) =>
  ({ name }: Period): FileMaker => {
    if (isDay(name)) return dayMakerAt(deps, nowMs)
    return monthMaker(
      deps.monthWriter({ month: name, ...(deps.memory.isSample && { sample: 'true' }) }),
    )
  }

/** Writes snapshots as CSV, compressed by gzip; their times are not among its columns. */
function dayMakerAt({ memory }: MakingDeps, nowMs: number): FileMaker {
  const freshness = freshnessAt('realtime', nowMs, memory.isSample)
  return dayMaker(async (snapshots, { day, put }) => {
    let count = 0
    const texts = async function* () {
      const { names } = dayFileList
      let isContinued = false
      for await (const snapshot of snapshots) {
        const rows = dayFileList.rows(presentSnapshot(snapshot, day, freshness))
        yield* textsOf(counted(rows), { names, format: 'csv', isContinued })
        isContinued = true
      }
    }
    const counted = function* <T>(rows: Iterable<T>) {
      for (const row of rows) {
        count += 1
        yield row
      }
    }
    const source = Readable.from(texts())
    const zipped = source.pipe(createGzip())
    source.on('error', (error) => zipped.destroy(error))
    for await (const bytes of zipped) await put(new Uint8Array(bytes as Buffer))
    return count
  })
}
