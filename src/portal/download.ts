type Download = {
  readonly name: string
  readonly type: string
  /** Whether a cache may keep it, to be asked about each time; never, by default. */
  readonly cache?: 'no-cache' | 'no-store'
}

/** A reply that a browser saves as a file. */
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
