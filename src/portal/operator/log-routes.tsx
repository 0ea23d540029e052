/** @jsxImportSource preact */
import type { Route } from '~/http/route.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import type { PageAnswer } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type OperatorDeps, operatorPages } from './admission.ts'
import { LOG_PAGE, logPage } from './log.tsx'
import { logFile } from './log-file.ts'
import { isFaulty, logQueryOf } from './log-query.ts'

/** The log of changes, as pages and as a file. */
export function logRoutes(deps: OperatorDeps): Route[] {
  const page = operatorPages(deps)
  return [...page(PATHS.log, { get: changes }), ...page(PATHS.logFile, { get: file })]
}

async function changes(deps: OperatorDeps, { pageRequest }: Member): Promise<PageAnswer> {
  const query = logQueryOf(pageRequest.url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  const { filter, beforeId } = query
  const entries = await deps.operated.changes({ filter, beforeId, limit: LOG_PAGE + 1 })
  const shown = entries.slice(0, LOG_PAGE)
  return { page: logPage({ query, entries: shown, isWhole: entries.length <= LOG_PAGE }) }
}

async function file(deps: OperatorDeps, { pageRequest }: Member): Promise<PageAnswer> {
  const query = logQueryOf(pageRequest.url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  return { response: await logFile(deps.operated.changes, query.filter) }
}
