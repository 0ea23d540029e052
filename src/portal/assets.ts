import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ServiceError } from '~/domain/errors.ts'
import { takesGzip } from '~/http/gzip.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { Log } from '~/log.ts'

const STYLE = 'styles/site.css'
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
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly zipped: Uint8Array<ArrayBuffer>
}

/** The paths of the files that pages load, by name: `site.css`, `icon.svg`, `chart.js`. */
export type AssetPaths = (name: string) => string

/** Scripts and styles of the pages, bundled when a page is first opened. */
export class Assets {
  #built: Promise<ReadonlyMap<string, Asset>> | null = null

  /** Rejects if the sources cannot be built; the next call tries again. */
  async paths(): Promise<AssetPaths> {
    const assets = await this.#assets()
    return (name) => {
      const asset = assets.get(name)
      if (!asset) throw new Error(`there is no asset ${name}`)
      return asset.path
    }
  }

  /** The asset at that path; the path of an earlier release gets the present one. */
  async at(path: string): Promise<{ asset: Asset; isCurrent: boolean } | null> {
    const [, name, extension] = ASSET_PATH.exec(path) ?? []
    const asset = name && (await this.#assets()).get(`${name}.${extension}`)
    return asset ? { asset, isCurrent: path.endsWith(asset.path) } : null
  }

  #assets(): Promise<ReadonlyMap<string, Asset>> {
    this.#built ??= build().catch((error) => {
      this.#built = null
      throw error
    })
    return this.#built
  }
}

async function build(): Promise<ReadonlyMap<string, Asset>> {
  const here = import.meta.dir
  const scripts = [...new Bun.Glob(SCRIPTS).scanSync({ cwd: here })]
  const { outputs } = await Bun.build({
    entrypoints: [STYLE, ...scripts].map((file) => join(here, file)),
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
  const file = path.split('/').at(-1)!
  const [name, extension] = file.split('.')
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH)
  const asset = {
    path: `/assets/${name}-${hash}.${extension}`,
    type: TYPES[extension!]!,
    bytes,
    zipped: Bun.gzipSync(bytes),
  }
  return [file, asset]
}

export const assetRoutes = ({ assets, log }: { assets: Assets; log: Log }): Route[] => [
  {
    method: 'GET',
    path: '/assets/:file',
    async handle(request) {
      const found = await assets.at(new URL(request.url).pathname)
      if (!found)
        return errorReply(
          new ServiceError('unknown_path', 'there is no such file; reload the page'),
          log,
        )
      return assetReply(request, found)
    },
  },
]

type Found = NonNullable<Awaited<ReturnType<Assets['at']>>>

function assetReply(request: Request, { asset, isCurrent }: Found): Response {
  const headers = {
    'content-type': asset.type,
    'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  }
  return takesGzip(request)
    ? new Response(asset.zipped, { headers: { ...headers, 'content-encoding': 'gzip' } })
    : new Response(asset.bytes, { headers })
}
