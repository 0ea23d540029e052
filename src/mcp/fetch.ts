import { type Static, Type } from '@sinclair/typebox'
import { invalidParameter } from '~/domain/errors.ts'
import { fetchMatrix } from '~/service/fetch.ts'
import { type FetchMatrixResponse, presentFetchMatrix } from '~/wire/fetch.ts'
import { readMaxAge } from '~/wire/moment.ts'
import { FETCH_CODES_MAX, MATRIX_CODES_MAX } from '~/wire/parameters.ts'
import { shortEntry } from './answer/short.ts'
import { ageField, currencies, detailField } from './argument/fields.ts'
import { tool } from './tool.ts'

const input = Type.Object({
  from: currencies('Base currencies: codes or names.', FETCH_CODES_MAX),
  to: currencies('Quote currencies.', FETCH_CODES_MAX),
  ...ageField,
  ...detailField,
})

export const fetchRates = tool({
  name: 'fetch_rates',
  isKnowing: true,
  title: 'Mid and best rate of many pairs',
  description:
    'Plain exchange rates of one pair or many at once: the mid-market rate (`mid`) and the best ' +
    'rate that money can be moved at (`provider_best.rate`), quote units per one base, before ' +
    'fees. `mid` is absent without a recent reference (`note` says which); `provider_best` is ' +
    'null where no provider offers the pair, and may be `is_stale`. Up to ' +
    `${FETCH_CODES_MAX} currencies against one, else ${MATRIX_CODES_MAX} x ${MATRIX_CODES_MAX}.`,
  input,
  rules: [
    { of: ['from', 'to'], check: (args) => refuseLong(args, 'from', 'to') },
    { of: ['from', 'to'], check: (args) => refuseLong(args, 'to', 'from') },
  ],
  answer({ args, view, then }) {
    const asked = { ...args, maxAgeMs: readMaxAge(args), mayLackAll: then !== undefined }
    const matrix = fetchMatrix(view, asked)
    const body = presentFetchMatrix(matrix, view.freshness)
    return args.detail === 'full' ? body : { ...body, results: shortResults(body.results) }
  },
})

type Side = 'from' | 'to'

function refuseLong(args: Partial<Static<typeof input>>, side: Side, other: Side): void {
  if ((args[side]?.length ?? 0) <= MATRIX_CODES_MAX || (args[other]?.length ?? 0) <= 1) return
  throw invalidParameter({
    name: side,
    fault:
      `with several currencies in ${other} it takes at most ${MATRIX_CODES_MAX}; ask in ` +
      'several calls',
  })
}

type Results = Static<typeof FetchMatrixResponse>['results']

const WITHOUT = new Set(['pay_in', 'pay_out', 'channel', 'service'])

const shortResults = (results: Results) =>
  valuesOf(results, (row, base) =>
    valuesOf(row, ({ provider_best: best, ...pair }) => ({
      ...pair,
      provider_best: best && shortEntry(best, { args: { from: base }, without: WITHOUT }),
    })),
  )

const valuesOf = <T, U>(all: Readonly<Record<string, T>>, change: (one: T, key: string) => U) =>
  Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one, key)]))
