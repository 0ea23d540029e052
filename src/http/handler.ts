import type { RequestScope } from '~/telemetry/request-scope.ts'

/** Responds to any request, as a server calls it. */
export type Fetch = (request: Request) => Response | Promise<Response>

/** Responds to the requests of a route, whose notes `scope` takes. */
export type Handler = (request: Request, scope: RequestScope) => Response | Promise<Response>
