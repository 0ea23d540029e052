import type { Static } from '@sinclair/typebox'
import { type HistoryDeps, historyOf, withRecorders } from '~/service/history.ts'
import {
  HistoryQuery,
  HistoryResponse,
  historyList,
  historyQuestion,
  presentHistory,
} from '~/wire/history.ts'
import type { Answer } from './answer.ts'
import { type ColdDeps, knowingRoute } from './cold-route.ts'
import type { Ask } from './metered-request.ts'
import type { Route } from './route.ts'

export const historyRoutes = (deps: ColdDeps): Route[] => [
  knowingRoute(deps, {
    path: '/rates/history',
    notes: {
      id: 'getHistory',
      tag: 'Rates',
      summary: 'Observations of a corridor, page by page',
      description:
        'Every observation as recorded, also those of providers switched off since, by time and ' +
        'then in the order of recording. The window starts one period before the hour of its ' +
        'end, so that within an hour new observations do not shift ascending pages; with until ' +
        'nothing shifts. A Link header has the next page.',
      mayCarry: ['X-As-Of', 'Link'],
    },
    query: HistoryQuery,
    response: HistoryResponse,
    list: historyList,
    answer: (ask, past) => answered(deps, ask, past),
  }),
]

type HistoryAnswer = Answer & { readonly body: Static<typeof HistoryResponse> }

async function answered(
  { memory }: ColdDeps,
  { query, view, caller }: Ask<typeof HistoryQuery>,
  past: HistoryDeps,
): Promise<HistoryAnswer> {
  const question = historyQuestion(query)
  const found = await historyOf(past, view, question)
  const isOperator = caller.account.role === 'admin'
  const history = isOperator ? await withRecorders(past, memory.current.keys, found) : found
  const full = presentHistory(history, question, view.freshness)
  const { to_date, data: _, ...lasting } = full
  const isMoving = view.freshness.tier === 'realtime' && question.untilMs === null
  return {
    body: full,
    basis: isMoving ? lasting : { ...lasting, to_date },
    headers: {
      ...(full.as_of && { 'x-as-of': full.as_of }),
      ...(full.has_more && { link: nextPage(query, to_date) }),
    },
  }
}

/** A link to the next page of the same window. https://www.rfc-editor.org/rfc/rfc8288 */
function nextPage(query: Static<typeof HistoryQuery>, until: string): string {
  const offset = query.offset + query.limit
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, until, offset }))
    parameters.set(name, String(value))
  return `<?${parameters}>; rel="next"`
}
