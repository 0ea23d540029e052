import { Type } from '@sinclair/typebox'
import { FileIndexResponse } from '~/wire/file/listed.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import { EditionQuery, NoQuery } from '~/wire/parameters.ts'

const ofAFile = {
  tag: 'Rates',
  errors: ['unknown_file', 'database_unavailable', 'overloaded'],
  query: EditionQuery,
  ...{ access: 'key' as const, isMetered: true, isTiered: false, isTagged: true },
  success: { status: 200, body: Type.Unknown() },
  mayCarry: ['Content-Disposition', 'Link'],
} as const satisfies Partial<Operation>

const EDITIONS =
  'A file is available an hour after that, from what was known then. A later correction creates ' +
  'a second edition; a Link header has the newest. An edition never changes.'

export const DAY_FILE = {
  ...ofAFile,
  id: 'getDayFile',
  summary: 'Every price of a day, of all corridors, as one file',
  description:
    'Every offer of every corridor at the end of a UTC day, as in /historical with `offers=all`, ' +
    'with the columns of its CSV except `note`, `timestamp` and ' +
    `\`data_freshness\`. ${EDITIONS}`,
  path: Type.Object({
    date: Type.String({
      description: 'A UTC calendar date, YYYY-MM-DD, that has ended.',
      format: 'date',
      examples: ['2026-03-04'],
    }),
  }),
  file: { medium: 'application/gzip', description: 'A CSV file, compressed by gzip.' },
} as const satisfies Operation

export const MONTH_FILE = {
  ...ofAFile,
  id: 'getMonthFile',
  summary: 'Every observation of a month, of all corridors, as one file',
  description:
    'Every observation that took effect in a UTC month, also those withdrawn, with its offer, ' +
    'how and when it was recorded, and the mid at the end of its day, as Parquet ' +
    `with zstd. ${EDITIONS}`,
  path: Type.Object({
    month: Type.String({
      description: 'A UTC month, YYYY-MM, that has ended.',
      pattern: '^\\d{4}-\\d{2}$',
      examples: ['2025-08'],
    }),
  }),
  file: { medium: 'application/vnd.apache.parquet', description: 'A Parquet file.' },
} as const satisfies Operation

export const FILE_INDEX = {
  id: 'listFiles',
  tag: 'Rates',
  summary: 'All files created so far',
  description:
    'The name, edition, rows, bytes and SHA-256 of every file created so far, the latest period ' +
    'first. A file that is not listed yet is created when it is requested.',
  errors: ['database_unavailable'],
  query: NoQuery,
  ...{ access: 'key' as const, isMetered: true, isTiered: false, isTagged: true },
  success: { status: 200, body: FileIndexResponse },
} as const satisfies Operation
