import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { corridorKey } from '~/domain/corridor.ts'
import { STREAM_CORRIDORS_MAX } from '~/domain/live/stream.ts'
import { type Subscription, subscriptionTo } from '~/domain/live/subscription.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { supportedCorridor } from '~/service/supported.ts'
import { CATALOGUE_URI } from '../catalogue.ts'
import { corridorOf, ratesTemplate } from '../resource/rates.ts'

/** Corridors of a subscription, with the URIs that the client uses for them. */
export type Subscribed = {
  readonly subscription: Subscription
  readonly byCorridor: ReadonlyMap<string, readonly string[]>
  /** The address of the catalogue if it is subscribed to. */
  readonly catalogue: readonly string[]
}

const METHOD = 'subscriptions/listen'

type Message = {
  readonly method?: unknown
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } }
} | null

/** The addresses that a message subscribes to; null for a message that subscribes to none. */
export function addressesIn(sent: unknown): readonly string[] | null {
  const message = sent as Message
  if (message?.method !== METHOD) return null
  const named = message.params?.notifications?.resourceSubscriptions
  const isList = Array.isArray(named) && named.every((one) => typeof one === 'string')
  return isList && named.length > 0 ? [...new Set<string>(named)] : null
}

/** Corridors of these URIs. Throws for another resource, too many, and an unsupported corridor. */
export function subscribedTo(catalogue: CatalogueIndex, uris: readonly string[]): Subscribed {
  const others = uris.filter((uri) => uri !== CATALOGUE_URI)
  if (others.length > STREAM_CORRIDORS_MAX) throw unfit(TOO_MANY)
  const pairs = others.map((uri) => {
    const named = corridorOf(uri)
    if (!named)
      throw unfit(`there is no resource ${JSON.stringify(uri.slice(0, 100))}; ${THERE_ARE}`)
    return { uri, corridor: supportedCorridor(catalogue, named) }
  })
  const grouped = Map.groupBy(pairs, ({ corridor }) => corridorKey(corridor))
  return {
    subscription: subscriptionTo(pairs.map(({ corridor }) => corridor)),
    byCorridor: new Map([...grouped].map(([name, all]) => [name, all.map(({ uri }) => uri)])),
    catalogue: uris.filter((uri) => uri === CATALOGUE_URI),
  }
}

const TOO_MANY = `subscribe to at most ${STREAM_CORRIDORS_MAX} corridors at once`
const THERE_ARE = `subscribe to ${CATALOGUE_URI} or ${ratesTemplate.uriTemplate}`

const unfit = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)
