import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import { pathOf } from './path.ts'
import { errorReply } from './reply.ts'
import type { Route } from './route.ts'

const FLAG_PATH = /\/flags\/([a-z]{2,3}(?:-[a-z]{2,5})?\.svg)$/
const FLAGS = join(
  dirname(fileURLToPath(import.meta.resolve('flag-icons/package.json'))),
  'flags/4x3',
)

/** The flags that a catalogue may point to, as SVG, so that a page needs no other server. */
export const flagRoutes = ({ log }: { log: Log }): Route[] => [
  {
    method: 'GET',
    path: '/flags/:file',
    async handle(request) {
      const name = FLAG_PATH.exec(pathOf(request.url))?.[1]
      const file = name && Bun.file(join(FLAGS, name))
      if (!file || !(await file.exists()))
        return errorReply(
          new ServiceError(
            'unknown_path',
            'there is no such flag; use a country code as in ke.svg',
          ),
          log,
        )
      const headers = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' }
      return new Response(await file.bytes(), { headers })
    },
  },
]
