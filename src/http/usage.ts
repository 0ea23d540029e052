import { usageOf } from '~/service/usage.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { presentUsage, UsageResponse } from '~/wire/usage.ts'
import { type AccessDeps, keyed } from './access.ts'
import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export const usageRoutes = (deps: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/admin/usage',
    operation: {
      id: 'getUsage',
      tag: 'Service',
      summary: 'Quota and use of the calling account',
      description:
        "Today's quota, how much of it each key of the account has used, and the last seven days.",
      query: NoQuery,
      access: 'key',
      isMetered: false,
      isTiered: false,
      success: { status: 200, body: UsageResponse },
    },
    handle: keyed(deps, ({ caller, nowMs }) => {
      const { keys } = deps.memory.current
      const usage = usageOf({ ...deps.metering, keys }, { caller, nowMs })
      return jsonReply(presentUsage(usage, nowMs), 200, quotaHeaders(usage.quota, nowMs))
    }),
  },
]
