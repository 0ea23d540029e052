import { snapshotOf } from '~/service/snapshot.ts'
import { readDate } from '~/wire/moment.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { presentSnapshot, SnapshotQuery, SnapshotResponse, snapshotList } from '~/wire/snapshot.ts'
import { type ColdDeps, knowingRoute } from './cold-route.ts'
import type { Route } from './route.ts'

export const snapshotRoutes = (deps: ColdDeps): Route[] => [
  knowingRoute(deps, {
    path: '/historical',
    notes: {
      id: 'getHistorical',
      tag: 'Rates',
      summary: 'A corridor as of a past date',
      description:
        "Each provider's latest quote on or before a UTC date, chosen and ranked like /rates, " +
        'for the providers active and the offers valid then; with the mid if one was recent.',
    },
    query: SnapshotQuery,
    response: SnapshotResponse,
    list: snapshotList,
    async answer({ query, view }, past) {
      const dateMs = readDate('date', query.date)
      const asked = { ...query, dateMs, selection: readSelection(query) }
      const snapshot = await snapshotOf(past, view, asked)
      return { body: presentSnapshot(snapshot, query.date, view.freshness) }
    },
  }),
]
