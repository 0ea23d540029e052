import { type Static, Type } from '@sinclair/typebox'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import { usualCorridor } from '~/service/country/currencies.ts'
import { filterParameters, readFilters } from '~/wire/offer/selection.ts'

/** Currencies that may be left out where the countries are named. */
export const betweenFields = {
  from: Type.Optional(
    Type.String({
      description:
        'Source currency code, in any case; may be left out with source_country, which then says ' +
        'it: EUR for IT.',
      examples: ['GBP'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      description:
        'Target currency code, in any case; may be left out with target_country, which then says ' +
        'it: XOF for SN.',
      examples: ['KES'],
    }),
  ),
}

const BetweenArguments = Type.Object({ ...betweenFields, ...filterParameters })

const SIDES = [
  { name: 'from', country: 'source_country', key: 'sourceCountry', whose: 'Source' },
  { name: 'to', country: 'target_country', key: 'targetCountry', whose: 'Target' },
] as const

/**
 * The currencies of a question, which are those of its countries where it names none. Throws a 400
 * where it names neither, or a country without a supported currency.
 */
export function corridorAsked(view: View, args: Static<typeof BetweenArguments>): Corridor {
  const { sourceCountry, targetCountry } = readFilters(args)
  const asked = { sourceCountry, targetCountry, from: args.from ?? null, to: args.to ?? null }
  for (const { name, country, key, whose } of SIDES)
    if (asked[name] === null && asked[key] === null)
      throw new ServiceError(
        'missing_parameter',
        `${name} is required: ${whose.toLowerCase()} currency code, or ${country} in its place`,
        { parameter: name },
      )
  const usual = usualCorridor(view, asked)
  for (const { name, country, key } of SIDES)
    if (usual[name] === null)
      throw invalidParameter({
        name: country,
        fault: `no currency of ${COUNTRIES.get(asked[key]!)!.name} is supported; give ${name}`,
      })
  return usual as Corridor
}
