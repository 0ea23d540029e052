import { Type } from '@sinclair/typebox'
import { convert } from '~/service/convert.ts'
import { ConvertResponse, presentConvert } from '~/wire/convert.ts'
import { record } from '~/wire/fields.ts'
import { ConvertQuery, convertQuestion } from '~/wire/parameters.ts'
import { betweenFields, corridorAsked } from './between.ts'
import { leftOut, paged, pageFields, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

export const convertAmount = tool({
  name: 'convert',
  title: 'What a recipient gets for an amount',
  description:
    'What each provider turns an amount of one currency into after its fee, and which executable ' +
    'provider leaves the recipient most. Use it for every question about sending, receiving or ' +
    'comparing the cost of a transfer. `amount` is in the currency `from`; `converted` (before ' +
    'the fee) and `net_converted` (after it, what the recipient gets) are in the currency `to`. ' +
    'Where the amount to arrive is known, give `recipient_gets`, in the currency `to`, in place ' +
    'of `amount`: each provider then has its `send_amount`, the smallest first. ' +
    '`best` is the highest net among retail, p2p and interbank quotes, or null; official and ' +
    'parallel prices are listed for information and are never the best. Look at `is_stale` of ' +
    '`best` first: a stale price may no longer be had, and `last_updated` says when it was seen. ' +
    'Recommend `best_current`, the best that is not stale and whose fee is stated; it is null ' +
    'where nobody is left, and then say so. To compare what transfers cost look at `cost`, in ' +
    'percent and money against the mid of the day of each quote; it is null where no fee was ' +
    'stated. `max_age` leaves older prices out. `mid` is what the independent mid-market rate ' +
    'would give, without any fee. Prices differ by country, way of paying and amount: pass on ' +
    'what the person said. 300 euros from Italy to Senegal by mobile money are `amount` 300, ' +
    '`source_country` IT, `target_country` SN and `pay_out` mobile_money; `from` and `to` may ' +
    'then be left out. Prices that say something else are left out. An entry with `unspecified` ' +
    'does not say the things named there: tell the person to check them with the provider. ' +
    '`offer` says what a price is for; with `amount_match` nearest it is one for `at_amount`, ' +
    'and the true price may differ. One entry a provider, all its offers with `offers` all.',
  input: Type.Object({ ...ConvertQuery.properties, ...betweenFields, ...sliceFields }),
  output: record({ ...ConvertResponse.properties, ...pageFields }),
  answer({ args, view }) {
    const conversions = convert(view, convertQuestion({ ...args, ...corridorAsked(view, args) }))
    const page = { ...conversions, entries: sliced(conversions.entries, args) }
    const left = leftOut({ providers: conversions.entries.length }, args)
    return paged(presentConvert(page, view.freshness), left)
  },
})
