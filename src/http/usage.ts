import { usageOf } from '~/service/usage.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { presentUsage, UsageResponse } from '~/wire/usage.ts'
import { type AccessDeps, callerOfRequest } from './access.ts'
import { errorReply, jsonReply } from './reply.ts'
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
    async handle(request) {
      const { memory, clock, log, metering } = deps
      const nowMs = clock.now()
      try {
        const caller = await callerOfRequest(deps, request, nowMs)
        const { keys } = memory.current
        const usage = usageOf({ ...metering, keys }, { caller, nowMs })
        return jsonReply(presentUsage(usage, nowMs), 200, quotaHeaders(usage.quota, nowMs))
      } catch (error) {
        return errorReply(error, log)
      }
    },
  },
]
