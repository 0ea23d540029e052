/** @jsxImportSource preact */
import type { Route } from '~/http/route.ts'
import { type PageAnswer, type PageRequest, personRoutes } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import { admin, type OperatorDeps } from './admission.ts'
import { LOG_PAGE, logPage } from './log.tsx'
import { logFile } from './log-file.ts'
import { isFaulty, logQueryOf } from './log-query.ts'

/** The log of changes, as pages and as a file. */
export const logRoutes = (deps: OperatorDeps): Route[] => [
  ...personRoutes(deps, PATHS.log, {
    get: admin(deps, ({ pageRequest }) => changes(deps, pageRequest)),
  }),
  ...personRoutes(deps, PATHS.logFile, {
    get: admin(deps, ({ pageRequest }) => file(deps, pageRequest)),
  }),
]

async function changes(deps: OperatorDeps, { url }: PageRequest): Promise<PageAnswer> {
  const query = logQueryOf(url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  const { filter, beforeId } = query
  const entries = await deps.operated.changes({ filter, beforeId, limit: LOG_PAGE + 1 })
  const shown = entries.slice(0, LOG_PAGE)
  return { page: logPage({ query, entries: shown, isWhole: entries.length <= LOG_PAGE }) }
}

async function file(deps: OperatorDeps, { url }: PageRequest): Promise<PageAnswer> {
  const query = logQueryOf(url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  return { response: await logFile(deps.operated.changes, query.filter) }
}
