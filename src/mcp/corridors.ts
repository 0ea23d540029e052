import { Type } from '@sinclair/typebox'
import { corridorsBy } from '~/service/country/pairs.ts'
import { CorridorsResponse, presentCorridors } from '~/wire/catalogue.ts'
import { record } from '~/wire/fields.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { CorridorsQuery } from '~/wire/parameters.ts'
import { leftOut, paged, pageFields, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

export const listCorridors = tool({
  name: 'list_corridors',
  title: 'Corridors with live rates',
  description:
    'Every ordered pair of currencies that at least one provider quotes now: how many providers, ' +
    'the best executable rate (units of `to` per one unit of `from`, before fees; null when only ' +
    'official or parallel prices are known), the average spread in basis points, and when the ' +
    'newest price of any kind, official ones too, was observed (last_updated). The best rate may ' +
    'be older: look at `best_is_stale` and `best_last_updated` before you name it, and ask with ' +
    '`max_age` for the corridors and bests of younger prices alone. Use it to find out which ' +
    'corridors there are, or to survey them; it does not name providers, get_rates does. ' +
    'Ordered by source, then target currency. Countries, ways of paying, a channel and ' +
    '`delivery_max` leave out prices that say something else. With `by` country each ' +
    'corridor is listed once for every two countries that offers name, by these offers alone; ' +
    'what that costs get_costs tells.',
  input: Type.Object({ ...CorridorsQuery.properties, ...sliceFields }),
  output: record({ ...CorridorsResponse.properties, ...pageFields }),
  answer({ args, view }) {
    const found = corridorsBy(view, args.by, readSelection(args))
    const corridors = sliced(found.corridors, args)
    const page = { ...found, corridors, count: corridors.length }
    const left = leftOut({ corridors: found.corridors.length }, args)
    return paged(presentCorridors(page, view.freshness), left)
  },
})
