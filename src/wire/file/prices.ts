import { Type } from '@sinclair/typebox'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import {
  dayText,
  lastSettledDayMs,
  type Quarter,
  quarterName,
  quarterNamed,
} from '~/service/file/period.ts'
import { optional } from '~/wire/fields.ts'
import { FIRST_MS, readDate } from '~/wire/moment.ts'
import { EditionQuery } from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'

const PricesQuery = Type.Object({
  quarter: optional.string({ examples: ['2026-Q1'] }),
  until: optional.string({ examples: ['2026-03-31'] }),
  edition: optional.integer({ ...EditionQuery.properties.edition, default: undefined }),
})

type PricesAsk = {
  /** Null for prices of any age. */
  readonly quarter: Quarter | null
  /** The day at whose end the prices were in force: YYYY-MM-DD. */
  readonly until: string
  /** Null for the newest. */
  readonly edition: number | null
  /** Says whether the content of an address never changes. */
  readonly isForGood: boolean
}

/**
 * Reads the requested prices from a URL; without a day, those of the last complete day. Throws a
 * 400 that names the invalid parameter, and `unknown_file` for a future quarter.
 */
export function readPricesQuery(url: string, nowMs: number): PricesAsk {
  const { quarter: name, until, edition = null } = readQuery(PricesQuery, url)
  const quarter = name === undefined ? null : readQuarter(name)
  const isForGood = until !== undefined && edition !== null
  const endMs = quarter?.endMs ?? Number.POSITIVE_INFINITY
  const lastMs = Math.min(lastSettledDayMs(nowMs), endMs - DAY_MS)
  const untilMs = until === undefined ? lastMs : readDate('until', until)
  if (!quarter || (untilMs >= quarter.startMs && untilMs < endMs))
    return { quarter, until: dayText(untilMs), edition, isForGood }
  if (until === undefined) throw notBegun(quarter)
  throw invalidParameter({ name: 'until', fault: 'it must be a day of the quarter' })
}

function readQuarter(name: string): Quarter {
  const quarter = quarterNamed(name)
  if (quarter && quarter.startMs >= FIRST_MS) return quarter
  throw invalidParameter({ name: 'quarter', fault: 'it must be a quarter such as 2026-Q1' })
}

const notBegun = (quarter: Quarter): ServiceError =>
  new ServiceError(
    'unknown_file',
    `no day of ${quarterName(quarter)} has ended yet; ask for an earlier quarter`,
  )
