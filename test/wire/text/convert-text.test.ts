import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { TIERS } from '~/domain/freshness.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { CHANNELS, PAY_WAYS } from '~/domain/offer/terms.ts'
import { suspicionOf } from '~/domain/price/suspect.ts'
import type { Quote } from '~/domain/quote.ts'
import { corridorView } from '~/memory/corridor-view.ts'
import { Memory } from '~/memory/memory.ts'
import type { View } from '~/memory/view.ts'
import { converted, type Priced, priced } from '~/service/convert.ts'
import { presentConvert } from '~/wire/convert.ts'
import type { Body } from '~/wire/text/answer-cache.ts'
import { convertText } from '~/wire/text/convert-text.ts'
import { CURRENCIES, PROVIDERS, provider } from '../../support/catalogue.ts'
import { clockAt } from '../../support/clock.ts'
import { offer } from '../../support/offers.ts'
import { fewRates, quote, rates } from '../../support/quotes.ts'
import { viewOf } from '../../support/views.ts'

const textOf = (body: Body) => (typeof body === 'string' ? body : new TextDecoder().decode(body))

const NOW = '2026-03-05T14:00:00.000Z'

const names = (maxLength: number) => fc.string({ unit: 'grapheme', maxLength })

const quoted = fc.record({
  providerId: fc.constantFrom(...PROVIDERS.map(({ id }) => id)),
  rate: fc.oneof(rates, fewRates),
  fee: fc.option(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))),
  feeCurrency: fc.constantFrom('USD', 'KES', 'GBP', 'ZAR'),
  back: fc.constantFrom(0, 7 * DAY_MS - HOUR_MS, 7 * DAY_MS, 7 * DAY_MS + 1),
})
/** The ends of bands, few enough that an amount often falls on one. */
const ends = fc.option(fc.constantFrom(0, 1, 50, 99.99, 100, 1e6), { freq: 2 })
const ways = fc.option(fc.subarray([...PAY_WAYS].slice(0, 3), { minLength: 1 }))
const offers = fc
  .record({
    sourceCountry: fc.constantFrom(null, 'US', 'GB'),
    payOut: ways,
    channel: fc.option(fc.constantFrom(...CHANNELS.slice(0, 2))),
    amounts: fc.tuple(ends, ends),
    service: fc.option(names(8)),
    feePercent: fc.option(
      fc.oneof(fc.constantFrom(0, 0.5, 100), fc.double({ min: 0, max: 100, noNaN: true })),
    ),
    deliveryMaxMs: fc.option(fc.constantFrom(HOUR_MS, 2 * DAY_MS)),
    life: fc.option(fc.constantFrom(8 * DAY_MS, 30 * DAY_MS)),
  })
  .map(({ amounts: [a, b], ...more }) => {
    const isTurned = a !== null && b !== null && a > b
    return { ...more, amountMin: isTurned ? b : a, amountMax: isTurned ? a : b }
  })
const selections: fc.Arbitrary<Selection> = fc.record({
  filters: fc.oneof(
    fc.constant(NO_FILTERS),
    fc.record({
      sourceCountry: fc.constantFrom(null, 'US', 'FR'),
      targetCountry: fc.constantFrom(null, null, 'KE'),
      payIn: fc.constant(null),
      payOut: ways,
      channel: fc.constantFrom(null, [CHANNELS[0]]),
      deliveryMaxMs: fc.constantFrom(null, DAY_MS),
    }),
  ),
  isEvery: fc.boolean(),
  maxAgeMs: fc.constantFrom(null, null, DAY_MS, 7 * DAY_MS),
})
const amounts = fc.oneof(
  fc.constantFrom(0.5, 1, 49.99, 50, 75, 100, 100.01, 1e7),
  fc.integer({ min: 1, max: 1e6 }).map((cents) => cents / 100),
  fc.double({ min: 1e-9, max: AMOUNT_MAX, noNaN: true }),
)
/** The smallest amount with 40 decimals. */
const LEAST = 1e-40

const sending = (amount: number, selection: Selection = UNSELECTED) => ({
  from: 'USD',
  to: 'KES',
  goal: { amount, recipientGets: null } as const,
  selection,
})

const SUSPECT_PCT = 10
const DAY_MID = { source: 'feed', basis: 'consensus', dispersionBps: 1.25 } as const

type Days = { readonly view: View; readonly days: readonly (readonly (number | null)[])[] }

/** The prices with a mid of the day, and one for a third currency, for each quote. */
function withDays({ prices, goal }: Priced, { view, days }: Days): Priced {
  const staleBeforeMs = view.staleBeforeMs(view.freshness.cutoffMs)
  const offers = prices.offers.map((ranked, i) => {
    const [rate = null, feeMid = null] = days[i % days.length]!
    const midAtQuote = rate === null ? null : { ...DAY_MID, rate, atMs: ranked.quote.atMs }
    const against = { midAtQuote, mid: prices.mid }
    const suspect = suspicionOf(ranked.quote, against, SUSPECT_PCT)
    return { ...ranked, midAtQuote, feeMidAtQuote: feeMid, suspect }
  })
  const selection = { ...prices.selection, maxAgeMs: null }
  const seen = corridorView(offers, staleBeforeMs, selection)
  return { prices: { ...prices, offers: seen.offers }, goal }
}

/** A quote of a random provider, with terms of its offer. */
function quoteOf(
  [{ back, fee, feeCurrency, ...more }, said]: [
    typeof quoted extends fc.Arbitrary<infer T> ? T : never,
    (typeof offers extends fc.Arbitrary<infer T> ? T : never) | null,
  ],
  id: number,
  nowMs: number,
): Quote {
  const { rateType } = PROVIDERS.find((one) => one.id === more.providerId)!
  const atMs = nowMs - back
  const { life = null, ...terms } = said ?? {}
  return quote({
    ...more,
    id,
    atMs,
    rateType,
    fee,
    feeCurrency: fee === null ? null : feeCurrency,
    offer: said && offer({ ...terms, validUntilMs: life === null ? null : atMs + life }),
  })
}

describe('convertText', () => {
  test('equals presentConvert, character by character', () => {
    const scenes = fc.record({
      quotes: fc.array(quoted, { maxLength: 14 }),
      asked: fc.array(fc.tuple(amounts, fc.constantFrom(...TIERS)), { minLength: 1, maxLength: 6 }),
      mids: fc.record({ KES: fc.option(fewRates), GBP: fc.option(fewRates) }),
      name: names(20),
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
          for (const known of [found, withDays(found, { view: view(), days })]) {
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

  test('orders offers whose nets are shown equal by age, whatever noise they have', () => {
    const clock = clockAt(NOW)
    const memory = new Memory()
    memory.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, clock.now())
    const noisy = { rate: 0.4, fee: 0.1, feeCurrency: 'KES', offer: offer({ service: 'noisy' }) }
    const atMs = clock.now()
    const quotes = [quote({ ...noisy, id: 1, atMs: atMs - 1 }), quote({ id: 2, rate: 0.3, atMs })]
    memory.publish({ quotes }, atMs)
    const view = viewOf({ memory, clock }, 'realtime')
    const found = priced(view, sending(1))
    const text = textOf(convertText(found, view.freshness))
    expect(text).toBe(JSON.stringify(presentConvert(converted(found), view.freshness)))
    expect(JSON.parse(text).providers).toMatchObject([{ rate: 0.3, net_converted: 0.3 }])
  })

  test('equals presentConvert for offers, for any filters, amounts and ages', () => {
    const scenes = fc.record({
      quotes: fc.array(fc.tuple(quoted, fc.option(offers, { freq: 6 })), { maxLength: 25 }),
      asked: fc.array(fc.tuple(amounts, selections, fc.constantFrom(...TIERS)), {
        minLength: 1,
        maxLength: 12,
      }),
      days: fc.array(fc.tuple(fc.option(fewRates, { freq: 3 }), fc.option(rates)), {
        minLength: 1,
        maxLength: 5,
      }),
    })
    const seen = {
      ...{ exact: 0, nearest: 0, out_of_range: 0, suspect: 0, lacking: 0, plain: 0 },
      ...{ unspecified: 0, silentBest: 0, chosen: 0 },
    }
    fc.assert(
      fc.property(scenes, ({ quotes, asked, days }) => {
        const clock = clockAt(NOW)
        const memory = new Memory()
        memory.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, clock.now())
        memory.publish(
          { quotes: quotes.map((one, id) => quoteOf(one, id, clock.now())) },
          clock.now(),
        )
        const kept = new Map<Selection, Priced>()
        for (const [amount, selection, tier] of [...asked, ...asked]) {
          const view = viewOf({ memory, clock }, tier)
          const fresh = withDays(priced(view, sending(amount, selection)), { view, days })
          const { prices } = kept.get(selection) ?? fresh
          kept.set(selection, { ...fresh, prices })
          const known = { ...fresh, prices }
          const plain = presentConvert(converted(known), view.freshness)
          expect(textOf(convertText(known, view.freshness))).toBe(JSON.stringify(plain))
          for (const entry of plain.providers) {
            if (entry.amount_match) seen[entry.amount_match]++
            if (entry.unspecified) seen.unspecified++
            if (!entry.offer) seen.plain++
            if (entry.suspect) seen.suspect++
          }
          if (plain.note?.includes('are known for')) seen.lacking++
          if (plain.best?.unspecified) seen.silentBest++
          if (plain.count < prices.offers.length) seen.chosen++
        }
      }),
      { numRuns: 500 },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
  })

  test('equals presentConvert for prices surveyed at amounts near the requested one', () => {
    const surveyed = fc.record({
      providerId: fc.constantFrom('retail-a', 'retail-b', 'interbank-a'),
      rate: fc.integer({ min: 95, max: 100 }),
      fee: fc.integer({ min: 0, max: 12 }),
      amountMin: fc.constantFrom(180, 200, 300),
      service: fc.constantFrom(null, 'Express'),
    })
    const scenes = fc.record({
      surveys: fc.array(surveyed, { maxLength: 12 }),
      amounts: fc.array(fc.integer({ min: 80, max: 620 }), { minLength: 1, maxLength: 8 }),
      isEvery: fc.boolean(),
    })
    let others = 0
    fc.assert(
      fc.property(scenes, ({ surveys, amounts, isEvery }) => {
        const clock = clockAt(NOW)
        const memory = new Memory()
        memory.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, clock.now())
        const quotes = surveys.map(({ amountMin, service, ...price }, id) => {
          const terms = offer({ amountMin, amountMax: amountMin, service })
          return quote({ ...price, id, atMs: clock.now(), feeCurrency: 'USD', offer: terms })
        })
        memory.publish({ quotes }, clock.now())
        const view = viewOf({ memory, clock }, 'realtime')
        for (const amount of amounts) {
          const found = priced(view, sending(amount, { ...UNSELECTED, isEvery }))
          const plain = presentConvert(converted(found), view.freshness)
          expect(textOf(convertText(found, view.freshness))).toBe(JSON.stringify(plain))
          if (plain.best?.offer_id !== plain.best_current?.offer_id) others++
        }
      }),
      { numRuns: 500 },
    )
    expect(others).toBeGreaterThan(20)
  })
})
