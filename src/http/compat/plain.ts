import { ServiceError } from '~/domain/errors.ts'
import { roundAmount } from '~/domain/round.ts'
import type { AccessDeps } from '~/http/access.ts'
import type { FetchDeps } from '~/http/fetch.ts'
import { MeteredRequest } from '~/http/metered-request.ts'
import { pathOf } from '~/http/path.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import { urlCallerOf } from '~/service/access.ts'
import { fetchMatrix } from '~/service/fetch.ts'
import type { ErrorBody } from '~/wire/errors.ts'

type CompatDeps = AccessDeps & Pick<FetchDeps, 'feedTimes'>

/** Mids for programs that can only fetch a URL, with a read-only key as a part of it. */
export const plainRoutes = (deps: CompatDeps): Route[] => [
  {
    method: 'GET',
    path: '/compat/:key/plain/rate/:from/:file',
    handle: (request) => rateAsText(deps, request),
  },
]

async function rateAsText(deps: CompatDeps, request: Request): Promise<Response> {
  const [key, , , from, file] = pathOf(request.url).replace(/\/$/, '').split('/').slice(-5)
  const metered = new MeteredRequest(deps, request)
  try {
    const refusal = await metered.begin((nowMs) => urlCallerOf(deps, key!, nowMs))
    if (refusal) throw refusal
    const mid = midOf(deps, metered, { from: from!, file: file! })
    return new Response(String(roundAmount(mid)), {
      headers: { ...metered.tieredHeaders(), ...TEXT },
    })
  } catch (error) {
    const reply = metered.failed(error)
    const { error: message } = (await reply.json()) as ErrorBody
    for (const [name, value] of Object.entries(TEXT)) reply.headers.set(name, value)
    return new Response(message, { status: reply.status, headers: reply.headers })
  }
}

/** The mid of the pair, as `/fetch-one` has it. Throws `unsupported_currency` without one. */
function midOf(
  { memory, ageLimits, feedTimes }: CompatDeps,
  metered: MeteredRequest,
  { from, file }: { from: string; file: string },
): number {
  const to = /^(.+)\.txt$/.exec(file)?.[1]
  if (!to)
    throw new ServiceError('unknown_path', 'the path ends with two currencies, as in USD/KES.txt')
  const view = new View(memory.current, metered.freshness(), ageLimits)
  const { pairs } = fetchMatrix(view, { from: [from], to: [to] }, feedTimes)
  const { mid } = pairs[0]![0]!
  if (mid === null)
    throw new ServiceError('unsupported_currency', 'there is no mid for this pair at the moment')
  return mid
}

/** The key in the URL must not reach another site, nor may the rate be taken for a page. */
const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'referrer-policy': 'no-referrer' }
