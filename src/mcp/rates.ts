import { Type } from '@sinclair/typebox'
import { isExecutable, RATE_TYPES } from '~/domain/provider.ts'
import { type EvaluatedQuote, ratesOf } from '~/service/rates.ts'
import { words } from '~/wire/fields.ts'
import { listed, staleNote } from '~/wire/note.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { presentRates } from '~/wire/rates.ts'
import { pageOf } from './answer/links.ts'
import { shortened } from './answer/short.ts'
import { detailField, providersField, selectionFields } from './argument/fields.ts'
import { betweenFields, corridorAsked, SIDES_NEEDED } from './between.ts'
import { missingNote, unfitNote } from './notes.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const WITHOUT = new Set([
  ...['spread_bps', 'provider_type', 'transfer_time', 'mid_at_quote', 'mid_source'],
])

export const getRates = tool({
  name: 'get_rates',
  isKnowing: true,
  title: "Providers' rates in a corridor",
  description:
    "Each provider's latest price between currencies, and the mid-market rate. With an amount " +
    'use convert, as fees change who is best. By rate_type, best rate first; kinds are not ' +
    'comparable, and no one can trade at official and parallel ones. `vs_mid_bps`: against the ' +
    'mid of now; `margin_pct`: what the rate costs against the mid of its own day. `is_stale`: ' +
    'too old to rely on, say so with `last_updated`. `suspect`: not to be believed. `evidence` ' +
    'derived or indicative: not observed. `unspecified`: what a price does not say.',
  input: Type.Object({
    ...betweenFields,
    ...providersField,
    rate_type: Type.Optional(words(RATE_TYPES, { description: 'Only prices of this kind.' })),
    ...selectionFields,
    ...detailField,
    ...sliceFields,
  }),
  rules: SIDES_NEEDED,
  links({ rate_type: _, ...args }, view) {
    const asked = { ...args, ...corridorAsked(view, args) }
    return { page: pageOf(asked), csv: { path: '/rates', query: asked } }
  },
  answer({ args, view }) {
    const corridor = corridorAsked(view, args)
    const selection = readSelection(args)
    const rates = ratesOf(view, corridor, selection)
    const wanted = rates.quotes.filter(
      ({ ranked: { quote } }) =>
        (args.providers?.includes(quote.providerId) ?? true) &&
        (args.rate_type ?? quote.rateType) === quote.rateType,
    )
    const body = paged(
      presentRates({ ...rates, detail: args.detail, quotes: sliced(wanted, args) }, view.freshness),
      leftOut({ providers: wanted.length }, args),
      missingNote(wanted, rates.quotes, { corridor, args }),
      restNote(wanted.slice(args.offset + args.limit)),
      unfitNote(view, rates.absence),
      leaderNote(wanted),
    )
    const from = rates.corridor.from
    return shortened(body, { args: { ...args, from }, entries: ['providers'], without: WITHOUT })
  },
})

/** A note that the best executable price is stale; null if it is not. */
function leaderNote(quotes: readonly EvaluatedQuote[]): string | null {
  const leader = quotes.find(
    ({ ranked: { quote, suspect } }) => isExecutable(quote.rateType) && suspect === null,
  )
  return leader ? staleNote(leader.ranked) : null
}

/** The kinds of the prices after the page; null if there are none. */
function restNote(rest: readonly EvaluatedQuote[]): string | null {
  if (rest.length === 0) return null
  const kinds = Map.groupBy(rest, ({ ranked: { quote } }) => quote.rateType)
  const counts = [...kinds].map(([kind, { length }]) => `${length} ${kind}`)
  return `After these come ${listed(counts)}.`
}
