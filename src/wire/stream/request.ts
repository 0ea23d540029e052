import { type Static, Type } from '@sinclair/typebox'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { STREAM_CORRIDORS_MAX } from '~/domain/live/stream.ts'
import { Instant, named, optional, record } from '~/wire/fields.ts'

const EVERY = '*'
const CORRIDOR = /^([A-Z]{3,4})\/([A-Z]{3,4})$/

export const StreamQuery = Type.Object({
  corridors: Type.Array(Type.String({ pattern: '^(\\*|[A-Za-z]{3,4}/[A-Za-z]{3,4})$' }), {
    description:
      'Corridors, comma-separated or in repeated parameters; `*` for every corridor, ' +
      'with a key of the enterprise plan.',
    examples: [['GBP/KES', 'USD/NGN']],
    minItems: 1,
    maxItems: STREAM_CORRIDORS_MAX,
  }),
})

export const StreamHeaders = Type.Object({
  'Last-Event-ID': optional.string({
    description: 'The last id received; everything retained after it is sent.',
    examples: ['28190344-6'],
  }),
})

/** The corridors of a checked query; null for every one. Throws a 400 for one of another form. */
export function askedCorridors({
  corridors,
}: Pick<Static<typeof StreamQuery>, 'corridors'>): readonly Corridor[] | null {
  if (corridors.includes(EVERY)) {
    if (corridors.length === 1) return null
    throw wrong('* means every corridor; leave the others out')
  }
  return corridors.map((text) => {
    const [, from, to] = CORRIDOR.exec(text) ?? []
    if (from && to) return { from, to }
    throw wrong('each item must be two currency codes, such as GBP/KES')
  })
}

const wrong = (fault: string) => invalidParameter({ name: 'corridors', fault })

/** The values of `token` in the query of a URL. */
export function shownTokens(url: string): readonly string[] {
  const start = url.indexOf('?')
  return start < 0 ? [] : new URLSearchParams(url.slice(start)).getAll('token')
}

export const StreamTokenResponse = named(
  'StreamTokenResponse',
  record(
    {
      token: Type.String({
        description: 'For the parameter `token` of /stream.',
        pattern: '^crs_[A-Za-z0-9_-]+$',
      }),
      expires_at: { ...Instant, description: 'Until then it opens streams.' },
    },
    'Opens streams without a key, for a short time.',
  ),
)
