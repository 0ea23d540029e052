import { type Static, Type } from '@sinclair/typebox'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import { usualCorridor } from '~/service/country/currencies.ts'
import { readFilters } from '~/wire/offer/selection.ts'
import { corridorFields, filterFields } from './argument/fields.ts'

/** Currencies that may be left out if the countries are named. */
export const betweenFields = {
  from: Type.Optional({
    ...corridorFields.from,
    description: 'Source currency: code or name; not needed with source_country.',
  }),
  to: Type.Optional({
    ...corridorFields.to,
    description: 'Target currency; not needed with target_country.',
  }),
}

const BetweenArguments = Type.Object({ ...betweenFields, ...filterFields })
type BetweenArguments = Static<typeof BetweenArguments>

const SIDES = [
  { name: 'from', country: 'source_country', key: 'sourceCountry', whose: 'source' },
  { name: 'to', country: 'target_country', key: 'targetCountry', whose: 'target' },
] as const

/** Requires each side, by its currency or its country. */
export const SIDES_NEEDED = SIDES.map(({ name, country, whose }) => ({
  of: [name, country],
  check(args: BetweenArguments) {
    if (args[name] !== undefined || args[country] !== undefined) return
    throw new ServiceError(
      'missing_parameter',
      `${name} is required: ${whose} currency code, or ${country} in its place`,
      { parameter: name },
    )
  },
}))

/**
 * The currencies of a call; those of its countries if it names none. Throws a 400 for a country
 * without a supported currency.
 */
export function corridorAsked(view: View, args: BetweenArguments): Corridor {
  const { sourceCountry, targetCountry } = readFilters(args)
  const asked = { sourceCountry, targetCountry, from: args.from ?? null, to: args.to ?? null }
  const usual = usualCorridor(view, asked)
  for (const { name, country, key } of SIDES)
    if (usual[name] === null)
      throw invalidParameter({
        name: country,
        fault: `no currency of ${COUNTRIES.get(asked[key]!)!.name} is supported; give ${name}`,
      })
  return usual as Corridor
}
