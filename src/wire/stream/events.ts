import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TIERS } from '~/domain/freshness.ts'
import { RESET_REASONS } from '~/service/stream/event.ts'
import { freshnessFields, midFields, named, nullable, record, words } from '~/wire/fields.ts'
import { noteFields } from '~/wire/note.ts'
import { OfferId } from '~/wire/offer/offer.ts'
import { ProviderRate } from '~/wire/rates.ts'

/** Reasons for ending a stream that is read fast enough. */
const STREAM_ENDS = ['revoked_key', 'plan_changed'] as const

const corridor = Type.String({ examples: ['GBP/KES'] })

const event = <T extends Record<string, TSchema>>(name: string, meaning: string, fields: T) =>
  named(name, record(fields, meaning))

const place = {
  tier: words(TIERS, { description: 'The tier of the key, and of every event that follows.' }),
  position: Type.Integer({
    description: 'Everything after this commit is sent. All replicas number commits the same way.',
  }),
  corridors: Type.Array(Type.String(), {
    description: 'The corridors of the stream; `*` alone for every corridor.',
    examples: [['GBP/KES', 'USD/NGN']],
  }),
}

const StreamHello = event('StreamHello', 'The first event of a stream.', {
  ...place,
  resumed: Type.Boolean({
    description:
      'Whether the stream continues after the Last-Event-ID. If not, request the prices now; ' +
      'later changes follow.',
  }),
  ...freshnessFields,
})

const StreamQuote = event(
  'StreamQuote',
  'A provider has a new price, or its price has become stale.',
  {
    corridor,
    ...ProviderRate.properties,
    ...freshnessFields,
  },
)

const StreamGone = event('StreamGone', "A provider's offer no longer has a price.", {
  corridor,
  provider_id: Type.String(),
  offer_id: OfferId,
  ...freshnessFields,
})

const StreamBest = event(
  'StreamBest',
  'The best price of a corridor has changed, or has become stale.',
  {
    corridor,
    best: {
      ...nullable(ProviderRate),
      description: 'The best executable price; null if there is no executable quote.',
    },
    best_current: {
      ...nullable(ProviderRate),
      description:
        'As best, among prices that are not stale and whose fee is stated; null without.',
    },
    ...noteFields,
    ...freshnessFields,
  },
)

const StreamMid = event(
  'StreamMid',
  'The mid of a pair has changed; without mid_rate there is no recent mid any more.',
  { corridor, ...midFields, ...freshnessFields },
)

const StreamCatalogue = event('StreamCatalogue', 'Currencies or providers changed.', {
  currencies: Type.Integer({ description: 'How many are active.' }),
  providers: Type.Integer({ description: 'How many are active.' }),
  ask: Type.Array(Type.String(), { description: 'Where they are listed.' }),
  ...freshnessFields,
})

const StreamReset = event('StreamReset', 'Events may have been missed; request the data again.', {
  ...place,
  reason: words(RESET_REASONS, {
    description:
      'unknown_id: the Last-Event-ID is not from this service; too_old: it is older than the ' +
      'retained events; ahead: this process did not reach it within some seconds; gap: more ' +
      'changed at once than is reported one by one.',
  }),
  ask: Type.Array(Type.String(), {
    description: 'What to request now. The events that follow report later changes.',
    examples: [['/api/v1/rates?from=GBP&to=KES']],
  }),
  ...freshnessFields,
})

const StreamSlow = event('StreamSlow', 'The client read too slowly; nothing follows.', {
  error: Type.String({ description: 'A sentence that says what to do next.' }),
  code: Type.Literal('too_slow'),
})

const StreamEnded = event('StreamEnded', 'The service ends the stream; nothing follows.', {
  error: Type.String({ description: 'A sentence that says what to do next.' }),
  code: words(STREAM_ENDS, {
    description:
      'revoked_key: the key, or that of the token, was revoked; plan_changed: the ' +
      'account has another plan, connect again.',
  }),
})

export const streamBodies = {
  hello: StreamHello,
  quote: StreamQuote,
  gone: StreamGone,
  best: StreamBest,
  mid: StreamMid,
  catalogue: StreamCatalogue,
  reset: StreamReset,
  slow: StreamSlow,
  ended: StreamEnded,
} satisfies Record<string, TSchema>

export type StreamBodies = {
  [Name in keyof typeof streamBodies]: Static<(typeof streamBodies)[Name]>
}
