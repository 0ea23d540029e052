import { type Static, Type } from '@sinclair/typebox'
import { convert } from '~/service/convert.ts'
import { type ConvertResponse, presentConvert } from '~/wire/convert.ts'
import { convertQuestion } from '~/wire/parameters.ts'
import { amount, detailField, providersField, selectionFields } from './argument/fields.ts'
import { betweenFields, corridorAsked, SIDES_NEEDED } from './between.ts'
import { eatenNote, fixedNote, missingNote, unfitNote } from './notes.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { shortEntry, shortened } from './short.ts'
import { tool } from './tool.ts'

const WITHOUT = new Set(['converted', 'spread_bps', 'vs_mid_bps', 'mid_at_quote', 'fee_pct'])
const BRIEF = new Set([...WITHOUT, 'offer', 'rate_type'])

export const convertAmount = tool({
  name: 'convert',
  title: 'What a recipient gets for an amount',
  description:
    'What arrives for an amount sent, by provider, after the fee; or with `recipient_gets` what ' +
    'to send. For every question about sending, receiving or comparing transfers. Pass on what ' +
    'the person said: 300 euros from Italy to Senegal by mobile money are amount 300, ' +
    'source_country IT, target_country SN, pay_out mobile_money. `net_converted` is what ' +
    'arrives, in `to`. Recommend `best_current` (not stale, fee stated); `best` may be ' +
    '`is_stale`, so look at `last_updated`; say so where `best_current` is null. `cost` is fee ' +
    'and margin in percent of the amount and in `from`; null where no fee was stated. ' +
    '`amount_match` nearest: priced for `at_amount`, of which `cost` is too. Never recommend a ' +
    'price that is `suspect` or out_of_range. `unspecified`: what a price ' +
    'does not say of what was asked, to be checked with the ' +
    'provider.',
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
  answer({ args, view }) {
    const corridor = corridorAsked(view, args)
    const found = convert(view, convertQuestion({ ...args, ...corridor }))
    const wanted = found.entries.filter(
      ({ ranked: { quote } }) => args.providers?.includes(quote.providerId) ?? true,
    )
    const body = paged(
      presentConvert(
        { ...found, detail: args.detail, entries: sliced(wanted, args) },
        view.freshness,
      ),
      leftOut({ providers: wanted.length }, args),
      missingNote(wanted, found.entries, { corridor, args }),
      found.absence ? null : fixedNote(found.entries),
      unfitNote(view, found.absence),
      eatenNote(wanted),
    )
    const from = found.corridor.from
    if (args.detail === 'full') return body
    const how = { args: { ...args, from }, entries: ['providers'], without: WITHOUT }
    const shown = {
      ...body,
      mid: shortMid(body.mid),
      best: shortBest(body.best, from),
      best_current: body.best_current && shortEntry(body.best_current, { ...how, without: BRIEF }),
    }
    return shortened(shown, how)
  },
})

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
