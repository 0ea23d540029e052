import { LRUCache } from 'lru-cache'
import { ServiceError } from '~/domain/errors.ts'
import type { Route } from '~/http/route.ts'
import { StaticFile } from '~/http/static-file.ts'
import { PATHS } from '~/portal/paths.ts'
import { type Pair, pairNamed, pairSlug } from '~/portal/place/pair.ts'
import { limitedFile, type PublicDeps } from '~/portal/public-page.tsx'
import { WorkLimit } from '~/service/work-limit.ts'
import { pairDrawing, png } from './drawing.ts'
import { PICTURE_WIDTH } from './size.ts'

/** The maximum number of pictures that are kept, each of some 40 kB. */
const KEPT_MAX = 100

const DRAWING = {
  runningMax: 1,
  waitingMax: 20,
  refusal: 'too many pictures are asked for at the moment; retry shortly',
}

/** The path of a pair's picture. */
export const picturePath = (pair: Pair): string => `${PATHS.pictures}/${pairSlug(pair)}.png`

const FILE = /\/([a-z-]+)\.png$/

/** A picture of each pair, for messages that hold a link to its page; drawn when asked for. */
export function pictureRoutes(deps: PublicDeps): Route[] {
  const pictures = new Pictures(deps.pages.sample !== null)
  const handle = limitedFile(deps, async ({ request, url: { pathname } }) => {
    const [, slug = ''] = FILE.exec(pathname) ?? []
    const pair = pairNamed(slug)
    if (pair && pairSlug(pair) === slug) return (await pictures.of(pair)).reply(request, 'day')
    throw new ServiceError(
      'unknown_path',
      'there is no such picture; its address is on the page of the pair of countries',
    )
  })
  return [{ method: 'GET', path: `${PATHS.pictures}/:file`, handle }]
}

class Pictures {
  readonly #kept = new LRUCache<string, Promise<StaticFile>>({ max: KEPT_MAX })
  readonly #drawing = new WorkLimit(DRAWING)

  constructor(private readonly isSample: boolean) {}

  /** The picture of a pair; drawn once, however many ask meanwhile. Throws `overloaded`. */
  of(pair: Pair): Promise<StaticFile> {
    const slug = pairSlug(pair)
    const kept = this.#kept.get(slug)
    if (kept) return kept
    const drawn = this.#drawing.run(() => drawnPicture(pair, this.isSample))
    this.#kept.set(slug, drawn)
    drawn.catch(() => this.#kept.delete(slug))
    return drawn
  }
}

async function drawnPicture(pair: Pair, isSample: boolean): Promise<StaticFile> {
  const bytes = await png(await pairDrawing(pair, isSample), PICTURE_WIDTH)
  return new StaticFile({ bytes, type: 'image/png', isPacked: true })
}
