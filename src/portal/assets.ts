import { join } from 'node:path'
import { ServiceError } from '~/domain/errors.ts'
import { madeOnce } from '~/domain/made-once.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { StaticFile } from '~/http/static-file.ts'
import type { Log } from '~/log.ts'

const STYLES = ['styles/site.css', 'styles/frame.css']
const ICON = 'icon.svg'
const SCRIPTS = 'client/*.ts'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const HASH_LENGTH = 12
const ASSET_PATH = /\/assets\/([a-z0-9-]+)-[0-9a-f]{12}\.(css|js|svg)$/

type Asset = {
  readonly path: string
  readonly file: StaticFile
  /** Compresses the file once, as far as can be. */
  readonly pack: () => Promise<void>
}

/** The paths of the files that pages load, by name: `site.css`, `icon.svg`, `chart.js`. */
export type AssetPaths = (name: string) => string

/** Scripts and styles of the pages, bundled when a page is first opened. */
export class Assets {
  readonly #built = madeOnce(build)

  /** Rejects if the sources cannot be built; the next call tries again. */
  async paths(): Promise<AssetPaths> {
    const assets = await this.#built()
    return (name) => {
      const asset = assets.get(name)
      if (!asset) throw new Error(`there is no asset ${name}`)
      return asset.path
    }
  }

  /** The asset at that path; the path of an earlier release gets the present one. */
  async at(path: string): Promise<Asset | null> {
    const [, name, extension] = ASSET_PATH.exec(path) ?? []
    return (name && (await this.#built()).get(`${name}.${extension}`)) || null
  }
}

async function build(): Promise<ReadonlyMap<string, Asset>> {
  const here = import.meta.dir
  const scripts = [...new Bun.Glob(SCRIPTS).scanSync({ cwd: here })]
  const { outputs } = await Bun.build({
    entrypoints: [...STYLES, ...scripts].map((file) => join(here, file)),
    minify: true,
    target: 'browser',
    naming: '[name].[ext]',
  })
  const sources = [...outputs, Bun.file(join(here, ICON))]
  const built = sources.map(async (file) => {
    const path = 'path' in file ? file.path : ICON
    return assetOf(path, new Uint8Array(await file.arrayBuffer()))
  })
  return new Map(await Promise.all(built))
}

function assetOf(path: string, bytes: Uint8Array<ArrayBuffer>): [string, Asset] {
  const key = path.split('/').at(-1)!
  const [name, extension] = key.split('.')
  const file = new StaticFile({ bytes, type: TYPES[extension!]! })
  const hash = file.digest.slice(0, HASH_LENGTH)
  const pack = madeOnce(() => file.pack())
  return [key, { path: `/assets/${name}-${hash}.${extension}`, file, pack }]
}

export const assetRoutes = ({ assets, log }: { assets: Assets; log: Log }): Route[] => [
  {
    method: 'GET',
    path: '/assets/:file',
    async handle(request) {
      const { pathname } = new URL(request.url)
      const asset = await assets.at(pathname)
      if (asset) {
        await asset.pack()
        return asset.file.reply(request, pathname.endsWith(asset.path) ? 'forever' : 'revalidated')
      }
      return errorReply(
        new ServiceError('unknown_path', 'there is no such file; reload the page'),
        log,
      )
    },
  },
]
