import { type Static, Type } from '@sinclair/typebox'
import type { ListedFile } from '~/service/file/kept-file.ts'
import { isDay } from '~/service/file/period.ts'
import { Instant, named, nullable, record } from '~/wire/fields.ts'
import { iso } from '~/wire/present.ts'

const File = named(
  'File',
  record(
    {
      name: Type.String({
        description: 'The name below `/files`; `edition` chooses the edition.',
        examples: ['2026-02.parquet'],
      }),
      edition: Type.Integer({ minimum: 1, description: 'Editions from 2 on follow corrections.' }),
      rows: nullable.integer({
        minimum: 0,
        description: 'Null in files of days from earlier versions.',
      }),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ description: 'SHA-256 of the file, in hex.' }),
      made_at: Instant,
    },
    'An edition of a file.',
  ),
)

export const FileIndexResponse = record({
  files: Type.Array(File, { description: 'The latest period first, then by edition.' }),
})

export const fileName = (period: string, suffix = ''): string =>
  `${period}${suffix}.${isDay(period) ? 'csv.gz' : 'parquet'}`

export const presentFiles = (files: readonly ListedFile[]): Static<typeof FileIndexResponse> => ({
  files: files.map(({ period, edition, rows, bytes, digest, madeMs }) => ({
    ...{ name: fileName(period), edition, rows, bytes },
    ...{ sha256: digest, made_at: iso(madeMs) },
  })),
})
