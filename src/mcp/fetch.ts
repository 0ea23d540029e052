import { Type } from '@sinclair/typebox'
import { invalidParameter } from '~/domain/errors.ts'
import { fetchMatrix } from '~/service/fetch.ts'
import { FetchMatrixResponse, presentFetchMatrix } from '~/wire/fetch.ts'
import { ageParameter, readMaxAge } from '~/wire/moment.ts'
import { codesParameter, FETCH_CODES_MAX, MATRIX_CODES_MAX } from '~/wire/parameters.ts'
import { tool } from './tool.ts'

export const fetchRates = tool({
  name: 'fetch_rates',
  title: 'Mid and best rate of many pairs',
  description:
    'The independent mid-market rate and the best executable provider rate of every pair of ' +
    '`from` (base) and `to` (quote) currencies in one call: one pair, one base against many, ' +
    'many against one, or a table. Use it for an overview or for plain exchange rates; use ' +
    'get_rates or convert to see all providers of one corridor with their fees. ' +
    '`results[base][quote].mid` and `.provider_best.rate` are units of quote per one unit of ' +
    'base, before fees. `mid` is absent for stablecoins and for currencies without a recent ' +
    'reference, which `note` names; `provider_best` is null where nobody ' +
    'offers the pair. Look at its `is_stale` before you name it: a stale price may no longer be ' +
    'had, and `max_age` leaves older ones out. ' +
    `Up to ${FETCH_CODES_MAX} currencies on one side when the other has one, ` +
    `else ${MATRIX_CODES_MAX} x ${MATRIX_CODES_MAX}.`,
  input: Type.Object({
    from: codesParameter('Base currency codes, in any case.', ['USD', 'GBP'], FETCH_CODES_MAX),
    to: codesParameter('Quote currency codes, in any case.', ['KES', 'NGN'], FETCH_CODES_MAX),
    ...ageParameter,
  }),
  output: FetchMatrixResponse,
  answer({ args, view }) {
    for (const [side, other] of [
      ['from', 'to'],
      ['to', 'from'],
    ] as const)
      if (args[side].length > MATRIX_CODES_MAX && args[other].length > 1)
        throw invalidParameter({
          name: side,
          fault:
            `with several currencies in ${other} it takes at most ${MATRIX_CODES_MAX}; ask in ` +
            'several calls',
        })
    return presentFetchMatrix(
      fetchMatrix(view, { ...args, maxAgeMs: readMaxAge(args) }),
      view.freshness,
    )
  },
})
