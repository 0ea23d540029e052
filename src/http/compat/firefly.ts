import { DAY_MS } from '~/domain/duration.ts'
import { bucketStartMs } from '~/domain/series.ts'
import { type Api, plainFailure, ratesBy } from './api.ts'
import { dateOf } from './asked.ts'
import { CompatError } from './fault.ts'

const PATH = /^(\d{4})\/(\d{1,2})\/([A-Za-z]{3})\.json$/
const WEEK_MS = 7 * DAY_MS

/**
 * The files that Firefly III downloads, one for each ISO week and base: the mids at the end of
 * Monday. https://docs.firefly-iii.org/
 */
export const firefly: Api = {
  name: 'firefly',
  question(asked) {
    const [year, week, base] = asked.match(PATH) ?? []
    if (!year || !week || !base)
      throw new CompatError('path', 'the path is 2026/9/EUR.json, with the year of the ISO week')
    const mondayMs = mondayOf(Number(year), Number(week))
    if (mondayMs === null) throw new CompatError('date', `${year} has no week ${week}`)
    return {
      rates: {
        ...{ base: base.toUpperCase(), quotes: null, bank: asked.bank() },
        span: asked.on(asked.day(dateOf(mondayMs))),
        write: ({ rows, base: code }) => ({
          date: dateOf(mondayMs),
          rates: ratesBy(rows.filter(({ quote }) => quote !== code)),
        }),
      },
    }
  },
  error: plainFailure,
}

/** The Monday of an ISO week, the first of which has 4 January; null without such a week. */
function mondayOf(year: number, week: number): number | null {
  const firstOf = (one: number) => bucketStartMs(Date.UTC(one, 0, 4), 'P1W')
  const mondayMs = firstOf(year) + (week - 1) * WEEK_MS
  return week >= 1 && mondayMs < firstOf(year + 1) ? mondayMs : null
}
