/** @jsxImportSource preact */
import type { Route } from '~/http/route.ts'
import { type Visit, type VisitReply, visitRoutes } from '~/portal/member/visit.tsx'
import { PATHS } from '~/portal/paths.ts'
import { admin, type OperatorDeps } from './admission.ts'
import { LOG_PAGE, logPage } from './log.tsx'
import { logFile } from './log-file.ts'
import { isFaulty, logQueryOf } from './log-query.ts'

/** The log of changes, as pages and as a file. */
export const logRoutes = (deps: OperatorDeps): Route[] => [
  ...visitRoutes(deps, PATHS.log, { get: admin(deps, ({ visit }) => changes(deps, visit)) }),
  ...visitRoutes(deps, PATHS.logFile, { get: admin(deps, ({ visit }) => file(deps, visit)) }),
]

async function changes(deps: OperatorDeps, { url }: Visit): Promise<VisitReply> {
  const query = logQueryOf(url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  const { filter, beforeId } = query
  const entries = await deps.operated.changes({ filter, beforeId, limit: LOG_PAGE + 1 })
  const shown = entries.slice(0, LOG_PAGE)
  return { page: logPage({ query, entries: shown, isWhole: entries.length <= LOG_PAGE }) }
}

async function file(deps: OperatorDeps, { url }: Visit): Promise<VisitReply> {
  const query = logQueryOf(url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  return { response: await logFile(deps.operated.changes, query.filter) }
}
