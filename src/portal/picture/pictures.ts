import { LRUCache } from 'lru-cache'
import { ServiceError } from '~/domain/errors.ts'
import { StaticFile } from '~/http/static-file.ts'
import { costsText } from '~/portal/board/cost-text.ts'
import { standingText } from '~/portal/board/kinds.ts'
import { pricedAt } from '~/portal/board/offer-text.ts'
import { KNOWN_AT } from '~/portal/cite/known-page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Pair, pairNamed, pairSlug } from '~/portal/place/pair.ts'
import { type PublicAsk, type PublicDeps, publicFile } from '~/portal/public-page.tsx'
import { pairConversions } from '~/portal/send/conversions.ts'
import { pairValues } from '~/portal/send/known.ts'
import { sendQuery } from '~/portal/send/query.ts'
import { prefixOf } from '~/portal/words/language.ts'
import { ENGLISH, type Words } from '~/portal/words/words.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { png } from './drawing.ts'
import { pairDrawing } from './pair-drawing.ts'
import { PICTURE_WIDTH } from './size.ts'

/** The maximum number of cached pictures, each of some 40 kB. */
const KEPT_MAX = 100

const DRAWING = {
  runningMax: 1,
  waitingMax: 20,
  refusal: 'too many pictures are being requested; retry shortly',
}

/** The path of a pair's picture in a language; the query of the pair's page follows it. */
export const picturePath = ({ language }: Words, pair: Pair): string =>
  `${prefixOf(language)}${PATHS.pictures}/${pairSlug(pair)}.png`

const FILE = /\/([a-z-]+)\.png$/

/**
 * A picture of each pair, for messages that hold a link to its page: the amount that arrives, and
 * its time. In the language of its address, whoever requests it, so that caches may keep it.
 */
export function pictureRoute(deps: PublicDeps) {
  const pictures = new Pictures()
  return publicFile(deps, `${PATHS.pictures}/:file`, async (ask) => {
    const [, slug = ''] = FILE.exec(ask.url.pathname) ?? []
    const pair = pairNamed(slug)
    if (pair && pairSlug(pair) === slug) {
      const words = ask.words.isAddressed ? ask.words : ENGLISH
      const isSample = deps.pages.sample !== null
      const svg = await pairDrawing({ ...pictured({ ...ask, words }, pair), isSample })
      return (await pictures.of(svg)).reply(ask.request, 'minutes')
    }
    throw new ServiceError(
      'unknown_path',
      'there is no such picture; its address is on the page of the pair of countries',
    )
  })
}

/** The lead of a pair's page; no number for a page of the past, which shows another. */
function pictured({ words, view, url }: PublicAsk, pair: Pair) {
  const line = words.say('send.description-none', pairValues(words, pair))
  const params = url.searchParams
  const query = params.has(KNOWN_AT) ? null : sendQuery({ words, view, pair, params })
  const best = query && pairConversions(view, query)?.bestCurrent
  if (!query || !best?.net || best.sent === null) return { words, pair, figure: null, line }
  const { from, to } = query.corridor
  const nearest = pricedAt(words, best)
  const gets = words.priceText(best.net, view.catalogue.currency(to)!)
  const { provider, quote } = best.ranked
  const standing = standingText(words, quote, provider)
  const note = [
    words.isolated(provider.name),
    ...(standing === null ? [] : [standing]),
    ...(best.cost ? [costsText(words, best.cost, nearest)] : []),
    words.say('embed.as-of', { time: words.momentText(view.freshness.cutoffMs) }),
  ]
  const figure = {
    sent: words.isolated(words.askedText(best.sent, view.catalogue.currency(from)!)),
    gets: words.isolated(nearest ? `≈ ${gets}` : gets),
    note: note.join(' · '),
  }
  return { words, pair, figure, line }
}

class Pictures {
  readonly #kept = new LRUCache<bigint | number, Promise<StaticFile>>({ max: KEPT_MAX })
  readonly #drawing = new WorkLimit(DRAWING)

  /** A drawing as a picture; drawn once for all concurrent requests. Throws `overloaded`. */
  of(svg: string): Promise<StaticFile> {
    const key = Bun.hash(svg)
    const kept = this.#kept.get(key)
    if (kept) return kept
    const drawn = this.#drawing.run(() => drawnPicture(svg))
    this.#kept.set(key, drawn)
    drawn.catch(() => this.#kept.delete(key))
    return drawn
  }
}

async function drawnPicture(svg: string): Promise<StaticFile> {
  const bytes = await png(svg, PICTURE_WIDTH)
  return new StaticFile({ bytes, type: 'image/png', isPacked: true })
}
