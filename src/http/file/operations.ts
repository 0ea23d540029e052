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
  'A file is there an hour after that, and is made of what was known then. After a later ' +
  'correction there is a second edition; a Link header names the newest. No edition ever changes.'

export const DAY_FILE = {
  ...ofAFile,
  id: 'getDayFile',
  summary: 'Every price of a day, of all corridors, as one file',
  description:
    'Every offer of every corridor at the end of a UTC day, as /historical has it with ' +
    '`offers=all`, and in the columns of its CSV but `note`, `timestamp` and ' +
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
    'Every observation that took effect in a UTC month before its end, also those withdrawn, ' +
    'with its offer, how and when it was recorded, and the mid at the end of its day, as Parquet ' +
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
  summary: 'All files that have been made',
  description:
    'The name, edition, rows, bytes and SHA-256 of every file that has been made, the latest ' +
    'period first. A file that is not in it yet is made when it is asked for.',
  errors: ['database_unavailable'],
  query: NoQuery,
  ...{ access: 'key' as const, isMetered: true, isTiered: false, isTagged: true },
  success: { status: 200, body: FileIndexResponse },
} as const satisfies Operation
