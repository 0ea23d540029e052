import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { TIERS } from '~/domain/freshness.ts'
import { Memory } from '~/memory/memory.ts'
import { converted, type Priced, priced } from '~/service/convert.ts'
import { presentConvert } from '~/wire/convert.ts'
import type { Body } from '~/wire/text/answer-cache.ts'
import { convertText } from '~/wire/text/convert-text.ts'
import { CURRENCIES, PROVIDERS, provider } from '../../support/catalogue.ts'
import { clockAt } from '../../support/clock.ts'
import { fewRates, quote, rates } from '../../support/quotes.ts'
import { viewOf } from '../../support/views.ts'

const textOf = (body: Body) => (typeof body === 'string' ? body : new TextDecoder().decode(body))

const NOW = '2026-03-05T14:00:00.000Z'

const quoted = fc.record({
  providerId: fc.constantFrom(...PROVIDERS.map(({ id }) => id)),
  rate: fc.oneof(rates, fewRates),
  fee: fc.option(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))),
  feeCurrency: fc.constantFrom('USD', 'KES', 'GBP', 'ZAR'),
  back: fc.constantFrom(0, 7 * DAY_MS - HOUR_MS, 7 * DAY_MS, 7 * DAY_MS + 1),
})
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 1e6 }).map((cents) => cents / 100),
  fc.double({ min: 1e-9, max: AMOUNT_MAX, noNaN: true }),
)
/** The least amount that 40 decimals can name. */
const LEAST = 1e-40

const sending = (amount: number) => ({
  from: 'USD',
  to: 'KES',
  goal: { amount, recipientGets: null } as const,
})

/** The prices with a mid of the day, and one for a third currency, beside each quote. */
function withDays({ prices, goal }: Priced, days: readonly (readonly (number | null)[])[]): Priced {
  const quotes = prices.quotes.map((ranked, i) => {
    const [rate = null, feeMid = null] = days[i % days.length]!
    const midAtQuote = rate === null ? null : { rate, source: 'feed', atMs: ranked.quote.atMs }
    return { ...ranked, midAtQuote, feeMidAtQuote: feeMid }
  })
  return { prices: { ...prices, quotes }, goal }
}

const names = fc.string({ unit: 'grapheme', maxLength: 20 })

describe('convertText', () => {
  test('is what presentConvert writes, character by character', () => {
    const scenes = fc.record({
      quotes: fc.array(quoted, { maxLength: 14 }),
      asked: fc.array(fc.tuple(amounts, fc.constantFrom(...TIERS)), { minLength: 1, maxLength: 6 }),
      mids: fc.record({ KES: fc.option(fewRates), GBP: fc.option(fewRates) }),
      name: names,
      days: fc.array(fc.tuple(fc.option(fewRates), fc.option(rates)), {
        minLength: 1,
        maxLength: 5,
      }),
    })
    let others = 0
    fc.assert(
      fc.property(scenes, ({ quotes, asked, mids, name, days }) => {
        const clock = clockAt(NOW)
        const memory = new Memory()
        const providers = PROVIDERS.map(({ id, rateType }) => provider(id, { rateType, name }))
        memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, clock.now())
        const rateTypes = new Map(PROVIDERS.map(({ id, rateType }) => [id, rateType]))
        for (const [id, { fee, feeCurrency, back, ...more }] of quotes.entries()) {
          const rateType = rateTypes.get(more.providerId)!
          const said = {
            ...more,
            id,
            atMs: clock.now() - back,
            rateType,
            fee,
            feeCurrency: fee === null ? null : feeCurrency,
          }
          memory.publish({ quotes: [quote(said)] }, clock.now())
        }
        const view = () => viewOf({ memory, clock }, 'realtime')
        convertText(priced(view(), sending(1)), view().freshness)
        const references = Object.entries(mids).flatMap(([currency, perUsd], id) =>
          perUsd === null ? [] : [{ id, atMs: clock.now(), currency, perUsd, source: `"${name}"` }],
        )
        memory.publish({ references }, clock.now())
        const eaten = quotes.flatMap(({ fee }) => (fee ? [fee * (1 + 1e-9)] : []))
        const askable = eaten.filter((amount) => amount >= LEAST)
        const all = [...asked, ...askable.map((amount) => [amount, 'realtime'] as const)]
        for (const [amount, tier] of all) {
          const { freshness } = viewOf({ memory, clock }, tier)
          const found = priced(viewOf({ memory, clock }, tier), sending(amount))
          for (const known of [found, withDays(found, days)]) {
            const plain = presentConvert(converted(known), freshness)
            expect(textOf(convertText(known, freshness))).toBe(JSON.stringify(plain))
            if (plain.best && plain.best_current?.provider_id !== plain.best.provider_id)
              others += 1
          }
          clock.advance(HOUR_MS)
        }
      }),
      { numRuns: 500 },
    )
    expect(others).toBeGreaterThan(100)
  })
})
