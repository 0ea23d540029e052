import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { madeOnce } from '~/domain/made-once.ts'
import type { HomeDeps } from '~/http/edge/home.ts'
import { mountOf } from '~/http/edge/mount.ts'
import type { Route } from '~/http/route.ts'
import { type FileContent, StaticFile } from '~/http/static-file.ts'
import { openApiDocument } from '~/wire/openapi/document.ts'
import { guideText } from '~/wire/openapi/guide.ts'
import type { Endpoint } from '~/wire/openapi/operation.ts'
import examples from '~generated/examples.json'
import { AddressedFile, ANYWHERE } from './addressed-file.ts'
import { olderDocument } from './older-document.ts'
import {
  ASSETS,
  ASSETS_PATH,
  COLLECTION_PATH,
  DOCUMENT_PATH,
  type Frame,
  GUIDE_PATH,
  PAGE_DOCUMENT_PATH,
  PAGE_PATH,
  referencePage,
} from './reference-page.ts'

type Around = {
  readonly basePath: string
  readonly routes: readonly Route[]
  frame(path: string): Promise<Frame>
}

const DIRECTORY = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

/** The description of the interface: for machines, for people, and for agents that read. */
export function docsRoutes(deps: HomeDeps, { basePath, routes, frame }: Around): Route[] {
  const { publicUrl } = deps
  const endpoints = routes.flatMap(({ method, path, shownAs = path, operation }): Endpoint[] =>
    operation && method !== 'OPTIONS' ? [{ method, path: shownAs, operation }] : [],
  )
  const document = madeOnce(() =>
    JSON.stringify(openApiDocument(endpoints, { basePath, home: ANYWHERE, examples })),
  )
  const addressed = new AddressedFile(deps, document)
  const collection = new AddressedFile(deps, madeOnce(postmanCollection))
  const guide = () => guideText(endpoints, { basePath, publicUrl })
  const publicOrigin = publicUrl ? new URL(publicUrl).origin : null
  const mount = mountOf(publicUrl)
  return [
    { method: 'GET', path: DOCUMENT_PATH, handle: (request) => addressed.reply(request) },
    { method: 'GET', path: COLLECTION_PATH, handle: (request) => collection.reply(request) },
    page(PAGE_DOCUMENT_PATH, async () => ({
      bytes: JSON.stringify(
        olderDocument(JSON.parse((await document()).replaceAll(ANYWHERE, publicUrl ?? ''))),
      ),
      type: 'application/json',
    })),
    page(GUIDE_PATH, () => ({ bytes: guide(), type: 'text/plain; charset=utf-8' })),
    page(PAGE_PATH, async () =>
      referencePage({ publicOrigin, mount, guide: guide(), frame: await frame(PAGE_PATH) }),
    ),
    ...Object.entries(ASSETS).map(([file, type]) =>
      page(`${ASSETS_PATH}/${file}`, async () => ({
        bytes: await Bun.file(join(DIRECTORY, file)).bytes(),
        type,
      })),
    ),
  ]
}

/** The document in the form of Postman, as `bun run postman` wrote it. */
async function postmanCollection(): Promise<string> {
  const { default: collection } = await import('~generated/postman.json')
  return JSON.stringify(collection)
}

function page(path: string, make: () => FileContent | Promise<FileContent>): Route {
  const file = madeOnce(async () => new StaticFile(await make()))
  return {
    method: 'GET',
    path,
    handle: async (request) => (await file()).reply(request, 'revalidated'),
  }
}
