export type ReplyForm = 'json' | 'sse'

/** The last wish that was read: most clients say the same each time. */
let known: { readonly accept: string; readonly form: ReplyForm | null } | null = null

/**
 * The form a client wants its replies in: JSON unless it likes a stream of events better, null when
 * it takes neither. Without a wish it is JSON.
 */
export function replyForm(accept: string | null): ReplyForm | null {
  if (!accept) return 'json'
  if (known?.accept !== accept) known = { accept, form: formOf(accept) }
  return known.form
}

function formOf(accept: string): ReplyForm | null {
  const ranges = accept.split(',').map(rangeOf)
  const json = quality(ranges, ['application/json', 'application/*', '*/*'])
  const sse = quality(ranges, ['text/event-stream', 'text/*', '*/*'])
  if (json === 0 && sse === 0) return null
  return sse > json ? 'sse' : 'json'
}

type Range = { readonly type: string; readonly quality: number }

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const given = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = given === undefined ? 1 : Number(given.slice(2))
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The quality of the most exact range there is for a type; 0 without one. */
function quality(ranges: readonly Range[], patterns: readonly string[]): number {
  for (const pattern of patterns) {
    const range = ranges.find(({ type }) => type === pattern)
    if (range) return range.quality
  }
  return 0
}
