import { Type } from '@sinclair/typebox'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import type { LiveCorridor } from '~/service/corridors.ts'
import { currenciesOf } from '~/service/country/currencies.ts'
import { corridorsBy } from '~/service/country/pairs.ts'
import { supportedCodes } from '~/service/supported.ts'
import { presentCorridors } from '~/wire/catalogue.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { CorridorsQuery } from '~/wire/parameters.ts'
import { shortened } from './answer/short.ts'
import { ageField, corridorFields, country, detailField, filterFields } from './argument/fields.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const WITHOUT = new Set(['avg_spread_bps', 'last_updated'])

export const listCorridors = tool({
  name: 'list_corridors',
  title: 'Corridors with live rates',
  description:
    'The pairs of currencies quoted now: how many providers, the best rate that money can be ' +
    'moved at (null: only official or parallel prices), and whether that is stale ' +
    '(`best_is_stale`). With `by` country: each pair once for every two countries that offers ' +
    'name.',
  input: Type.Object({
    from: Type.Optional(corridorFields.from),
    to: Type.Optional(corridorFields.to),
    country: Type.Optional(country('To or from its currencies; with by country, itself.')),
    by: { ...CorridorsQuery.properties.by, description: 'country: see above.' },
    ...filterFields,
    ...ageField,
    ...detailField,
    ...sliceFields,
  }),
  links: ({ from: _, to: __, ...args }) => ({
    page: { path: '/corridors' },
    csv: { path: '/corridors', query: args },
  }),
  answer({ args, view }) {
    const wanted = wantedBy(view, args)
    const all = corridorsBy(view, args.by, readSelection(args))
    const found = all.corridors.filter(wanted)
    const page = { ...all, corridors: sliced(found, args), count: found.length }
    const isMissing = found.length === 0 && all.corridors.length > 0
    const body = paged(
      { ...presentCorridors({ ...page, count: page.corridors.length }, view.freshness) },
      leftOut({ corridors: found.length }, args),
      isMissing ? missingNote(args, all.corridors.length) : null,
    )
    return shortened(body, { args, entries: ['corridors'], without: WITHOUT })
  },
})

type Sides = { readonly from?: string; readonly to?: string; readonly country?: string }

/** Reports whether a corridor is one of those requested. Throws `unsupported_currency`. */
function wantedBy(view: View, args: Sides): (corridor: LiveCorridor) => boolean {
  const { from, to } = supportedCodes(view.catalogue, {
    from: args.from === undefined ? [] : [args.from],
    to: args.to === undefined ? [] : [args.to],
  })
  const money = args.country === undefined ? [] : currenciesOf(view, args.country)
  return (one) => {
    if (from.length > 0 && !from.includes(one.from)) return false
    if (to.length > 0 && !to.includes(one.to)) return false
    if (args.country === undefined) return true
    const { countries } = one
    if (!countries) return money.includes(one.from) || money.includes(one.to)
    return [countries.sourceCountry, countries.targetCountry].includes(args.country)
  }
}

function missingNote({ from, to, country: code }: Sides, others: number): string {
  const asked = [
    from === undefined ? null : `from ${from}`,
    to === undefined ? null : `to ${to}`,
    code === undefined ? null : `of ${COUNTRIES.get(code)!.name}`,
  ].filter((text) => text !== null)
  return `No corridor ${asked.join(' ')} is quoted at present; without that there are ${others}.`
}
