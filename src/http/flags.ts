import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '~/domain/errors.ts'
import { madeOnce } from '~/domain/made-once.ts'
import type { Log } from '~/log.ts'
import { pathOf } from './path.ts'
import { errorReply } from './reply.ts'
import type { Route } from './route.ts'
import { StaticFile } from './static-file.ts'

/** Country codes and those of parts of countries; the package has flags of alliances too. */
const FLAG = /^[a-z]{2,3}(?:-[a-z]{2,5})?\.svg$/
const FLAGS = join(
  dirname(fileURLToPath(import.meta.resolve('flag-icons/package.json'))),
  'flags/4x3',
)

/** The flags that a catalogue may point to, as SVG, so that a page needs no other server. */
export function flagRoutes({ log }: { log: Log }): Route[] {
  const flags = madeOnce(knownFlags)
  return [
    {
      method: 'GET',
      path: '/flags/:file',
      async handle(request) {
        const path = pathOf(request.url)
        const flag = (await flags()).get(path.slice(path.lastIndexOf('/') + 1))
        if (flag) return (await flag()).reply(request, 'day')
        return errorReply(
          new ServiceError(
            'unknown_path',
            'there is no such flag; use a country code as in ke.svg',
          ),
          log,
        )
      },
    },
  ]
}

/** Every flag by the name of its file, each read when it is first requested. */
async function knownFlags(): Promise<ReadonlyMap<string, () => Promise<StaticFile>>> {
  const names = (await readdir(FLAGS)).filter((name) => FLAG.test(name))
  return new Map(names.map((name) => [name, madeOnce(() => flagOf(name))]))
}

const flagOf = async (name: string): Promise<StaticFile> =>
  new StaticFile({ bytes: await flagFile(name).bytes(), type: 'image/svg+xml' })

/** The file of a flag that the package is known to have, such as `ke.svg`. */
export const flagFile = (name: string) => Bun.file(join(FLAGS, name))
