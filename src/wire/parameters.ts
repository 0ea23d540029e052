import { Type } from '@sinclair/typebox'
import { AMOUNT_MAX } from '~/domain/convert.ts'

export const PROVIDER_ID_LENGTH_MAX = 100

const code = (description: string, example: string) =>
  Type.String({ description, examples: [example] })

export const codesParameter = (description: string, example: string[], maxItems: number) =>
  Type.Array(Type.String(), { description, examples: [example], minItems: 1, maxItems })

const LISTED = 'comma-separated or in repeated parameters'

export const NoQuery = Type.Object({})

export const CorridorQuery = Type.Object({
  from: code('Source currency code, in any case.', 'GBP'),
  to: code('Target currency code, in any case.', 'KES'),
})

export const ConvertQuery = Type.Object({
  ...CorridorQuery.properties,
  amount: Type.Number({
    description: 'Amount in the source currency, in plain decimal notation.',
    exclusiveMinimum: 0,
    maximum: AMOUNT_MAX,
    examples: [200],
  }),
})

export const ProviderQuery = Type.Object({
  provider: Type.String({
    description: 'A provider id, as listed by /providers.',
    maxLength: PROVIDER_ID_LENGTH_MAX,
    examples: ['western-union'],
  }),
})

export const FETCH_CODES_MAX = 20
export const MATRIX_CODES_MAX = 10

export const FetchOneQuery = Type.Object({
  from: code('Base currency code.', 'GBP'),
  to: code('Quote currency code.', 'KES'),
})

export const FetchMultiQuery = Type.Object({
  from: code('Base currency code.', 'GBP'),
  to: codesParameter(`Quote currency codes, ${LISTED}.`, ['KES', 'NGN'], FETCH_CODES_MAX),
})

export const FetchManyToOneQuery = Type.Object({
  from: codesParameter(`Base currency codes, ${LISTED}.`, ['USD', 'GBP'], FETCH_CODES_MAX),
  to: code('Quote currency code.', 'KES'),
})

export const FetchMatrixQuery = Type.Object({
  from: codesParameter(`Base currency codes, ${LISTED}.`, ['USD', 'GBP'], MATRIX_CODES_MAX),
  to: codesParameter(`Quote currency codes, ${LISTED}.`, ['KES', 'NGN'], MATRIX_CODES_MAX),
})
