import { type Static, Type } from '@sinclair/typebox'
import { isExecutable } from '~/domain/provider.ts'
import { amongSome, convert } from '~/service/convert.ts'
import { type ConvertResponse, presentConvert } from '~/wire/convert.ts'
import { convertQuestion } from '~/wire/parameters.ts'
import { pageOf } from './answer/links.ts'
import { shortEntry, shortened } from './answer/short.ts'
import { amount, detailField, providersField, selectionFields } from './argument/fields.ts'
import { betweenFields, corridorAsked, SIDES_NEEDED } from './between.ts'
import { betterNote, eatenNote, fixedNote, missingNote, silentNote, unfitNote } from './notes.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const WITHOUT = new Set(['converted', 'spread_bps', 'vs_mid_bps', 'mid_at_quote', 'fee_pct'])
const BRIEF = new Set([...WITHOUT, 'offer', 'rate_type'])

export const convertAmount = tool({
  name: 'convert',
  isCard: true,
  isKnowing: true,
  title: 'What a recipient gets for an amount',
  description:
    'What arrives for an amount sent, by provider, after the fee; or with `recipient_gets` what ' +
    'to send. For every question about sending money. Pass on all that was ' +
    'said: 300 euros from Italy by mobile money are amount 300, source_country IT, pay_in ' +
    'mobile_money. `net_converted` is what arrives, in `to`. Recommend `best_current`; where it ' +
    'is null say so: `best` may be `is_stale`, see `last_updated`. `cost` is in percent of the ' +
    'amount and in `from`; null: no fee was stated. `amount_match` nearest: priced for ' +
    '`at_amount`, say so. Never recommend a `suspect` or out_of_range price. `unspecified`: what ' +
    'a price does not say; its numbers end in _if_so, so ask the provider first.',
  input: Type.Object({
    ...betweenFields,
    amount: Type.Optional(amount('Amount to send, in from.')),
    recipient_gets: Type.Optional(amount('Amount to arrive, in to; instead of amount.')),
    ...providersField,
    ...selectionFields,
    ...detailField,
    ...sliceFields,
  }),
  rules: [
    ...SIDES_NEEDED,
    {
      of: ['amount', 'recipient_gets'],
      check: (args) => void convertQuestion({ from: '', to: '', ...args }),
    },
  ],
  links(args, view) {
    const asked = { ...args, ...corridorAsked(view, args) }
    return { page: pageOf(asked), csv: { path: '/convert', query: asked } }
  },
  answer({ args, view }) {
    const corridor = corridorAsked(view, args)
    const all = convert(view, convertQuestion({ ...args, ...corridor }))
    const { providers } = args
    const found = providers
      ? amongSome(all, ({ ranked: { quote } }) => providers.includes(quote.providerId))
      : all
    const wanted = found.entries
    const body = paged(
      presentConvert(
        { ...found, detail: args.detail, entries: sliced(wanted, args) },
        view.freshness,
      ),
      leftOut({ providers: wanted.length }, args),
      missingNote(wanted, all.entries, { corridor, args }),
      all.absence ? null : fixedNote(wanted),
      unfitNote(view, all.absence),
      eatenNote(wanted),
      silentNote(wanted),
      betterNote(found, all),
    )
    if (args.detail === 'full') return body
    const { from, to, amount, recipient_gets, mid, best, best_current, ...rest } = body
    const how = { args: { ...args, from }, entries: ['providers'], without: WITHOUT }
    const sure = best && !isSilent(best) ? best : null
    const current = best_current && !isSilent(best_current) ? best_current : null
    const shown = {
      ...{ from, to, amount },
      ...(recipient_gets !== undefined && { recipient_gets }),
      mid: shortMid(mid),
      best_current: current && shortEntry(current, { ...how, without: BRIEF }),
      best: sure && shortBest(sure, from),
      ...rest,
      providers: body.providers.map(surelyNamed),
    }
    return shortened(shown, how)
  },
})

/** Conditions of a transfer besides its countries. */
const TERMS: readonly unknown[] = ['pay_in', 'pay_out', 'channel', 'delivery_max']

/** Reports whether a price does not say a way of paying or a time that was requested. */
const isSilent = ({ unspecified }: Pick<ListedEntry, 'unspecified'>): boolean =>
  unspecified?.some((name) => TERMS.includes(name)) ?? false

/**
 * An entry whose numbers are named after their meaning: none at a rate that is not executable, and
 * different ones for a price that does not state a requested condition, as it may not apply.
 */
function surelyNamed(entry: ListedEntry): object {
  if (!isExecutable(entry.rate_type)) {
    const { net_converted: _, send_amount: __, cost: ___, ...rest } = entry
    return rest
  }
  if (!isSilent(entry)) return entry
  const { net_converted, send_amount, ...rest } = entry
  return {
    ...rest,
    ...(send_amount !== undefined && { send_amount_if_so: send_amount }),
    net_converted_if_so: net_converted,
  }
}

type ListedEntry = Static<typeof ConvertResponse>['providers'][number]
type Mid = Static<typeof ConvertResponse>['mid']
type Entry = Static<typeof ConvertResponse>['best']

/** The best with all that its offer says, as it may be all that is read. */
function shortBest(best: Entry, from: string): object | null {
  if (best === null) return null
  const { amount_match } = best
  return { ...shortEntry(best, { args: { from }, without: WITHOUT }), amount_match }
}

/** A mid without the feed behind it. */
function shortMid(mid: Mid): object | null {
  if (mid === null) return null
  const { source: _, ...rest } = mid
  return rest
}
