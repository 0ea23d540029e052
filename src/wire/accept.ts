/**
 * The medium that an Accept header prefers, or the coding that an Accept-Encoding prefers: the
 * first of equals, null if it accepts none. Without a header anything is accepted.
 * https://www.rfc-editor.org/rfc/rfc9110#field.accept
 */
export function preferred<M extends string>(
  accept: string | null,
  media: readonly [M, ...M[]],
): M | null {
  if (!accept) return media[0]
  const ranges = rangesOf(accept)
  let best: M | null = null
  let bestQuality = 0
  for (const medium of media) {
    const quality = qualityOf(medium, ranges)
    if (quality > bestQuality) [best, bestQuality] = [medium, quality]
  }
  return best
}

type Range = { readonly name: string; readonly quality: number }

/** Ranges of an Accept header, in its order; an invalid quality counts as 0. */
export const rangesOf = (header: string): Range[] => header.split(',').map(rangeOf)

function rangeOf(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = given === undefined ? 1 : Number(given)
  return { name, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The quality of a medium, given by the most specific range that covers it. */
function qualityOf(medium: string, ranges: readonly Range[]): number {
  for (const name of [medium, medium.replace(/\/.*/, '/*'), '*/*', '*']) {
    const range = ranges.find((candidate) => candidate.name === name)
    if (range) return range.quality
  }
  return 0
}
