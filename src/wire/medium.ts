/** What tables can be had as, the first where a caller does not mind. */
const MEDIA = ['application/json', 'text/csv', 'application/x-ndjson'] as const

export type Medium = (typeof MEDIA)[number]

/**
 * The medium that an Accept header prefers; JSON where it says nothing of use, or accepts none.
 * https://www.rfc-editor.org/rfc/rfc9110#field.accept
 */
export function mediumOf(accept: string | null): Medium {
  if (accept === null) return MEDIA[0]
  const ranges = accept.split(',').map(rangeOf)
  let best: Medium = MEDIA[0]
  let bestQuality = 0
  for (const medium of MEDIA) {
    const quality = qualityOf(medium, ranges)
    if (quality > bestQuality) [best, bestQuality] = [medium, quality]
  }
  return best
}

type Range = { readonly name: string; readonly quality: number }

function rangeOf(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const value = quality === undefined ? 1 : Number(quality)
  return { name, quality: value >= 0 && value <= 1 ? value : 0 }
}

/** The most specific range that covers a medium says how welcome it is. */
function qualityOf(medium: Medium, ranges: readonly Range[]): number {
  for (const name of [medium, medium.replace(/\/.*/, '/*'), '*/*']) {
    const range = ranges.find((candidate) => candidate.name === name)
    if (range) return range.quality
  }
  return 0
}
