import { preferred } from '~/wire/accept.ts'

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
  const medium = preferred(accept, ['application/json', 'text/event-stream'])
  return medium && (medium === 'application/json' ? 'json' : 'sse')
}
