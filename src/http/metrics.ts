import { createHash, timingSafeEqual } from 'node:crypto'
import { streamedBody } from '~/wire/streamed-body.ts'
import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export type MetricsDeps = {
  readonly metrics: {
    readonly contentType: string
    text(): Promise<string>
  }
  /** The token that a reader has to show; null lets anybody read. */
  readonly metricsToken: string | null
}

/** The path of the metrics, served only when spelled exactly, since rules of proxies go by that. */
export const METRICS_PATH = '/metrics'

/** The route for the machine that monitors the service. */
export const metricsRoutes = ({ metrics, metricsToken }: MetricsDeps): Route[] => [
  {
    method: 'GET',
    path: METRICS_PATH,
    async handle({ headers }) {
      if (metricsToken !== null && !shows(headers.get('authorization'), metricsToken))
        return refusal()
      const reply = { 'content-type': metrics.contentType, 'cache-control': 'no-store' }
      return new Response(streamedBody(await metrics.text()), { headers: reply })
    },
  },
]

/** Compares digests, in a time that reveals nothing about the token. */
function shows(authorization: string | null, token: string): boolean {
  const [, shown] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? []
  return shown !== undefined && timingSafeEqual(digestOf(shown), digestOf(token))
}

const digestOf = (text: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(text).digest())

function refusal(): Response {
  const error = 'metrics need a token; send the operator’s METRICS_TOKEN as Authorization: Bearer'
  return jsonReply({ error, code: 'invalid_key' }, 401, { 'www-authenticate': 'Bearer' })
}
