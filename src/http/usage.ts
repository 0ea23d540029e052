import { usageOf } from '~/service/usage.ts'
import { presentUsage } from '~/wire/usage.ts'
import { type AccessDeps, callerOfRequest, quotaHeaders } from './access.ts'
import { errorReply, jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export const usageRoutes = ({ memory, clock, log, metering }: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/admin/usage',
    handle(request) {
      const nowMs = clock.now()
      try {
        const caller = callerOfRequest(memory, request)
        const { keys } = memory.current
        const usage = usageOf({ ...metering, keys }, { caller, nowMs })
        return jsonReply(presentUsage(usage, nowMs), 200, quotaHeaders(usage.quota, nowMs))
      } catch (error) {
        return errorReply(error, log)
      }
    },
  },
]
