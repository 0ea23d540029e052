import { ResourceNotFoundError, type Server, specTypeSchemas } from '@modelcontextprotocol/server'
import { View } from '~/memory/view.ts'
import type { Asker } from '../asker.ts'
import { answered, type CallDeps, metered } from '../call.ts'
import { CATALOGUE_URI, catalogueResource, presentCatalogue } from '../catalogue.ts'
import { protocolError } from '../fault.ts'
import { getRates } from '../rates.ts'
import { cardResource, cardText } from './card.ts'
import { corridorOf, ratesTemplate } from './rates.ts'

const LISTING = { params: specTypeSchemas.PaginatedRequestParams }
const READING = { params: specTypeSchemas.ReadResourceRequestParams }
const SHOWN = { resources: [catalogueResource, cardResource] }
const TEMPLATES = { resourceTemplates: [ratesTemplate] }
const THERE_ARE = `${CATALOGUE_URI} or ${ratesTemplate.uriTemplate}`

export function answerResources(server: Server, deps: CallDeps, asker: Asker): void {
  server.setRequestHandler('resources/list', LISTING, () => SHOWN)
  server.setRequestHandler('resources/templates/list', LISTING, () => TEMPLATES)
  server.setRequestHandler('resources/read', READING, async ({ uri }) => {
    if (uri === cardResource.uri)
      return { contents: [{ uri, mimeType: cardResource.mimeType, text: await cardText() }] }
    const { mimeType } = ratesTemplate
    const text = await textOf(deps, asker, uri).catch((error) => {
      throw protocolError(error, deps.log)
    })
    return { contents: [{ uri, mimeType, text }] }
  })
}

async function textOf(deps: CallDeps, asker: Asker, uri: string): Promise<string> {
  const { memory, ageLimits } = deps
  if (uri === CATALOGUE_URI)
    return metered(deps, asker, (freshness) =>
      JSON.stringify(presentCatalogue(new View(memory.current, freshness, ageLimits))),
    )
  const corridor = corridorOf(uri)
  if (!corridor)
    throw new ResourceNotFoundError(uri, `there is no such resource; read ${THERE_ARE}`)
  return answered(deps, { tool: getRates, given: corridor, asker })
}
