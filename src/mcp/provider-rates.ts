import { Type } from '@sinclair/typebox'
import { type ProviderRates, providerRates } from '~/service/provider-rates.ts'
import { supportedCodes } from '~/service/supported.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { presentProviderRates } from '~/wire/provider-rates.ts'
import { shortened } from './answer/short.ts'
import { corridorFields, detailField, provider, selectionFields } from './argument/fields.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const WITHOUT = new Set(['channel', 'service', 'amount_min', 'amount_max'])

export const getProviderRates = tool({
  name: 'get_provider_rates',
  title: "One provider's prices everywhere",
  description:
    'What one provider quotes now, by corridor: rate, fee and when it was seen. For one corridor ' +
    'use get_rates with `providers`, for its past get_history.',
  input: Type.Object({
    provider: provider('Provider: id or name.'),
    from: Type.Optional(corridorFields.from),
    to: Type.Optional(corridorFields.to),
    ...selectionFields,
    ...detailField,
    ...sliceFields,
  }),
  links: ({ from: _, to: __, ...args }) => ({
    page: { path: `/providers/${encodeURIComponent(args.provider)}` },
    csv: { path: '/rates/provider', query: args },
  }),
  answer({ args, view }) {
    const codes = (code: string | undefined) => (code === undefined ? [] : [code])
    const { from, to } = supportedCodes(view.catalogue, {
      from: codes(args.from),
      to: codes(args.to),
    })
    const found = providerRates(view, args.provider, readSelection(args))
    const quotes = found.quotes.filter(
      ({ quote }) =>
        [quote.from, ...from].at(-1) === quote.from && [quote.to, ...to].at(-1) === quote.to,
    )
    const body = paged(
      presentProviderRates(
        { ...found, detail: args.detail, quotes: sliced(quotes, args) },
        view.freshness,
      ),
      leftOut({ corridors: quotes.length }, args),
      quotes.length === 0 ? missingNote(found) : null,
    )
    return shortened(body, { args, entries: ['provider', 'corridors'], without: WITHOUT })
  },
})

/**
 * A note that a provider quotes other corridors than the requested ones; null if it quotes none.
 */
const missingNote = ({ provider: { name }, quotes }: ProviderRates): string | null =>
  quotes.length === 0
    ? null
    : `${name} quotes no such corridor; without that there are ${quotes.length}.`
