import type { RequestScope } from '~/telemetry/request-scope.ts'

/** Answers any request, as a server asks for it. */
export type Fetch = (request: Request) => Response | Promise<Response>

/** Answers the requests of a route, on whose behalf `scope` takes notes. */
export type Handler = (request: Request, scope: RequestScope) => Response | Promise<Response>
