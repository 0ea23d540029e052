import { Type } from '@sinclair/typebox'
import { officialOf } from '~/service/official.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { readDate } from '~/wire/moment.ts'
import { officialQuestion, presentOfficial } from '~/wire/official.ts'
import { shortened } from './answer/short.ts'
import { checkedBy, currency, detailField, providersField } from './argument/fields.ts'
import { readBy } from './argument/names.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { type Tool, tool } from './tool.ts'

const WITHOUT = new Set(['provider_id', 'source', 'fetched_at', 'last_updated', 'recorded_at'])

export const getOfficial = (past: SnapshotDeps): Tool =>
  tool({
    name: 'get_official',
    title: "Central banks' rates of a date",
    description:
      "Central banks' rates for a date of their own calendar (`rate_date`), with that " +
      "day's mid and the gap to it (`gap_bps`). `age_days` above 0: of the " +
      'nearest earlier date; say so. No money can be sent at these rates.',
    input: Type.Object({
      currency: currency('A currency on either side of the rates.'),
      to: Type.Optional(currency('The other currency.')),
      date: readBy(
        checkedBy((text) => readDate('date', text)),
        Type.String({ description: "The bank's date, YYYY-MM-DD." }),
      ),
      ...providersField,
      ...detailField,
      ...sliceFields,
    }),
    links: ({ providers, ...args }) => ({
      page: { path: '/providers' },
      csv: { path: '/official', query: { ...args, provider: providers } },
    }),
    async answer({ args, view }) {
      const { providers, ...asked } = args
      const of = { ...asked, ...(providers && { provider: providers }) }
      const official = await officialOf(past, view, officialQuestion(of))
      const body = presentOfficial(official, view.freshness)
      const page = paged(
        { ...body, rates: sliced(body.rates, args) },
        leftOut({ rates: body.count }, args),
      )
      return shortened(page, { args, entries: ['rates'], without: WITHOUT })
    },
  })
