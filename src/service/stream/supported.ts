import type { Corridor } from '~/domain/corridor.ts'
import { ServiceError } from '~/domain/errors.ts'
import { type Subscription, subscriptionTo } from '~/domain/live/subscription.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'

const PARAMETER = 'corridors'

/** A subscription to these corridors; a 400 names every code that is not an active currency. */
export function supportedSubscription(
  catalogue: CatalogueIndex,
  corridors: readonly Corridor[],
): Subscription {
  const codes = new Set(corridors.flatMap(({ from, to }) => [from, to]))
  const unknown = [...codes].filter((code) => !catalogue.currency(code))
  if (unknown.length > 0)
    throw new ServiceError(
      'unsupported_currency',
      `${PARAMETER}: ${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not supported; ` +
        'use codes in supported_currencies',
      { parameter: PARAMETER, supported_currencies: catalogue.supportedCodes },
    )
  const same = corridors.find(({ from, to }) => from === to)
  if (same)
    throw new ServiceError(
      'same_currency',
      `${PARAMETER}: from and to are both ${same.from}; a corridor needs two different currencies`,
    )
  return subscriptionTo(corridors)
}
