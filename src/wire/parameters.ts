import { type Static, Type } from '@sinclair/typebox'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import type { Goal } from '~/domain/offer/choice.ts'
import type { Selection } from '~/domain/offer/selection.ts'
import { optional } from './fields.ts'
import { detailParameter } from './list/detail.ts'
import { ageParameter } from './moment.ts'
import { filterParameters, readSelection, selectionParameters } from './offer/selection.ts'

export const PROVIDER_ID_LENGTH_MAX = 100

const code = (description: string, example: string) =>
  Type.String({ description, examples: [example] })

const codesParameter = (description: string, example: string[], maxItems: number) =>
  Type.Array(Type.String(), { description, examples: [example], minItems: 1, maxItems })

const LISTED = 'comma-separated or in repeated parameters'

export const NoQuery = Type.Object({})

const EDITIONS_MAX = 1000

export const EditionQuery = Type.Object({
  edition: optional.integer({
    description: 'Which edition of the file: 1 is the first, later ones follow corrections.',
    minimum: 1,
    maximum: EDITIONS_MAX,
    default: 1,
  }),
})

/** Parameter for a response that includes the log of changes up to a position. */
export const positionParameter = {
  min_position: optional.integer({
    minimum: 0,
    examples: [0],
    description:
      'The X-Corridor-Position of an earlier response, from any replica. This response then ' +
      'includes everything that one did; it waits up to a second for that.',
  }),
}

export const PositionQuery = Type.Object(positionParameter)

const [POSITION_NAME] = Object.keys(positionParameter) as [string]

/** Reports whether a URL may ask for a position, so that reading it is worth while. */
export const mayAskPosition = (url: string): boolean => url.includes(POSITION_NAME)

export const CorridorsQuery = Type.Object({
  ...ageParameter,
  ...filterParameters,
  by: optional.words(['currency', 'country'], {
    default: 'currency',
    description: '`country` lists a corridor once for every pair of countries that offers name.',
  }),
})

export const CorridorQuery = Type.Object({
  from: code('Source currency code, in any case.', 'GBP'),
  to: code('Target currency code, in any case.', 'KES'),
})

export const RatesQuery = Type.Object({
  ...CorridorQuery.properties,
  ...selectionParameters,
  ...detailParameter,
})

export const ConvertQuery = Type.Object({
  ...CorridorQuery.properties,
  amount: optional.number({
    description:
      'Amount in the source currency, in plain decimal notation; this or recipient_gets.',
    exclusiveMinimum: 0,
    maximum: AMOUNT_MAX,
    example: 200,
  }),
  recipient_gets: optional.number({
    description:
      'Amount in the target currency that should arrive after all fees, instead of amount. ' +
      'Each provider then has a send_amount, smallest first.',
    exclusiveMinimum: 0,
    maximum: AMOUNT_MAX,
    examples: [25_000],
  }),
  ...selectionParameters,
  ...detailParameter,
})

type ConvertQuestion = Corridor & { readonly goal: Goal; readonly selection: Selection }

/** Reads a checked query. Throws a 400 unless exactly one of the amounts is given. */
export function convertQuestion(query: Static<typeof ConvertQuery>): ConvertQuestion {
  const { from, to, amount, recipient_gets: recipientGets } = query
  if (amount !== undefined && recipientGets !== undefined)
    throw invalidParameter({
      name: 'recipient_gets',
      fault: 'amount is given too; give the amount to send or the one to arrive, not both',
    })
  const asked = { from, to, selection: readSelection(query) }
  if (amount !== undefined) return { ...asked, goal: { amount, recipientGets: null } }
  if (recipientGets !== undefined) return { ...asked, goal: { amount: null, recipientGets } }
  throw new ServiceError(
    'missing_parameter',
    'amount is required: the amount to send, or recipient_gets, the amount to arrive',
    { parameter: 'amount' },
  )
}

export const ProviderQuery = Type.Object({
  provider: Type.String({
    description: 'A provider id, as listed by /providers.',
    maxLength: PROVIDER_ID_LENGTH_MAX,
    examples: ['western-union'],
  }),
  ...selectionParameters,
  ...detailParameter,
})

export const FETCH_CODES_MAX = 20
export const MATRIX_CODES_MAX = 10

export const FetchOneQuery = Type.Object({
  from: code('Base currency code.', 'GBP'),
  to: code('Quote currency code.', 'KES'),
  ...ageParameter,
})

export const FetchMultiQuery = Type.Object({
  from: code('Base currency code.', 'GBP'),
  to: codesParameter(`Quote currency codes, ${LISTED}.`, ['KES', 'NGN'], FETCH_CODES_MAX),
  ...ageParameter,
})

export const FetchManyToOneQuery = Type.Object({
  from: codesParameter(`Base currency codes, ${LISTED}.`, ['USD', 'GBP'], FETCH_CODES_MAX),
  to: code('Quote currency code.', 'KES'),
  ...ageParameter,
})

export const FetchMatrixQuery = Type.Object({
  from: codesParameter(`Base currency codes, ${LISTED}.`, ['USD', 'GBP'], MATRIX_CODES_MAX),
  to: codesParameter(`Quote currency codes, ${LISTED}.`, ['KES', 'NGN'], MATRIX_CODES_MAX),
  ...ageParameter,
})
