import { preferred } from '~/wire/accept.ts'

export type ReplyForm = 'json' | 'sse'

/** The last Accept header that was read: most clients send one value every time. */
let known: { readonly accept: string; readonly form: ReplyForm | null } | null = null

/**
 * The form in which a client wants its replies: JSON unless it prefers a stream of events, null
 * when it accepts neither. Without the header it is JSON.
 */
export function replyForm(accept: string | null): ReplyForm | null {
  if (!accept) return 'json'
  if (known?.accept !== accept) known = { accept, form: formOf(accept) }
  return known.form
}

function formOf(accept: string): ReplyForm | null {
  const medium = preferred(accept, ['application/json', 'text/event-stream'])
  return medium && (medium === 'application/json' ? 'json' : 'sse')
}
