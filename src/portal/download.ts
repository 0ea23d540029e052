import { streamedBody } from '~/wire/streamed-body.ts'

type Download = {
  readonly name: string
  readonly type: string
  /** Says whether a cache may keep it and revalidate on each use; never, by default. */
  readonly cache?: 'no-cache' | 'no-store'
}

export const downloadReply = (
  body: ConstructorParameters<typeof Response>[0],
  { name, type, cache = 'no-store' }: Download,
): Response =>
  new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': cache,
      'x-content-type-options': 'nosniff',
    },
  })

/** A table in CSV, which a cache may keep and revalidate on each use. */
export const csvReply = (name: string, text: string): Response =>
  downloadReply(streamedBody(text), { name, type: CSV, cache: 'no-cache' })

export const CSV = 'text/csv; charset=utf-8'
