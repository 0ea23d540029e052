import type { Handler } from '~/http/handler.ts'
import { toolsChallenge } from '~/wire/challenge.ts'
import { resourceMetadataUrl } from '~/wire/connection/metadata.ts'
import { credentialOf } from '~/wire/credential.ts'
import { UNAUTHORIZED } from '~/wire/errors.ts'
import { type HomeDeps, homeOf } from './home.ts'

type Tools = { handle(request: Request): Promise<Response> }

/** The MCP server, whose 401 says where people sign in. */
export const challenged =
  (tools: Tools, deps: HomeDeps): Handler =>
  async (request) => {
    const reply = await tools.handle(request)
    if (reply.status !== UNAUTHORIZED) return reply
    const isShown = credentialOf(request.headers) !== null
    const metadataUrl = resourceMetadataUrl(homeOf(request, deps))
    reply.headers.set('www-authenticate', toolsChallenge({ isShown, metadataUrl }))
    return reply
  }
