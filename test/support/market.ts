import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { noState } from '~/domain/feed/state.ts'
import { CURRENCIES, PROVIDERS, provider } from './catalogue.ts'
import { offer } from './offers.ts'
import { fewRates } from './quotes.ts'
import type { World } from './world.ts'

const codes = (...all: string[]) => fc.constantFrom(...all)
const ids = fc.constantFrom(...PROVIDERS.map(({ id }) => id))
/** Times that pass between two events: also none, and backwards. */
export const jumps = fc.constantFrom(0, 0, 1, 999, 60_000, HOUR_MS, 2 * HOUR_MS + 1, -1, -HOUR_MS)

/** Terms of a quote's offer, and its validity. */
const terms = fc.record({
  sourceCountry: fc.option(fc.constantFrom('US', 'GB')),
  targetCountry: fc.option(fc.constantFrom('KE', 'NG')),
  payOut: fc.option(fc.constantFrom(['cash'] as const, ['mobile_money'] as const)),
  amountMin: fc.option(fc.constantFrom(2, 50)),
  feePercent: fc.option(fc.constantFrom(0, 1.5)),
  life: fc.option(fc.constantFrom(1, 59_999, HOUR_MS, 3 * HOUR_MS)),
})

/** Events of a market. */
export const events = fc.oneof(
  fc.record({
    kind: fc.constant('quote' as const),
    providerId: ids,
    from: codes('USD', 'GBP', 'USDT'),
    to: codes('KES', 'NGN'),
    rate: fewRates,
    fee: fc.option(fc.double({ min: 0, max: 500, noNaN: true })),
    feeCurrency: codes('USD', 'KES', 'EUR'),
    back: fc.constantFrom(0, 1, HOUR_MS, 2 * HOUR_MS - 1),
    said: fc.option(terms),
  }),
  fc.record({
    kind: fc.constant('reference' as const),
    currency: codes('KES', 'NGN', 'GBP', 'EUR'),
    rate: fewRates,
  }),
  fc.record({ kind: fc.constant('catalogue' as const), off: ids }),
  fc.record({ kind: fc.constant('feeds' as const) }),
  fc.record({ kind: fc.constant('prune' as const) }),
  fc.record({ kind: fc.constant('wait' as const) }),
)

export type Event = typeof events extends fc.Arbitrary<infer T> ? T : never

/** Lets it happen in a world, at the time that is there. */
export function apply(world: World, event: Event): void {
  const nowMs = world.clock.now()
  switch (event.kind) {
    case 'quote': {
      const { kind, back, said, ...quote } = event
      const feeCurrency = quote.fee === null ? null : quote.feeCurrency
      const atMs = nowMs - back
      const { life = null, ...own } = said ?? {}
      const validUntilMs = life === null ? null : atMs + life
      world.quote({ ...quote, feeCurrency, atMs, offer: said && offer({ ...own, validUntilMs }) })
      break
    }
    case 'reference':
      world.reference({ [event.currency]: event.rate })
      break
    case 'catalogue': {
      const providers = PROVIDERS.map((known) =>
        provider(known.id, { rateType: known.rateType, isActive: known.id !== event.off }),
      )
      world.memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, nowMs)
      break
    }
    case 'feeds': {
      const succeeded = { id: 'feed', source: 'feed', triedMs: nowMs, succeededMs: nowMs - 300 }
      const past = { upstreamMs: null, currencies: 3, failedMs: null, fault: null, message: null }
      const feed = { ...succeeded, ...past, isFailing: false, waitUntilMs: null }
      world.memory.publish({ feeds: { ...noState, ranMs: nowMs, feeds: [feed] } }, nowMs)
      break
    }
    case 'prune':
      world.memory.prune(nowMs)
      break
  }
}
