import type { Seen } from '~/domain/feed/connector.ts'
import type { Observation } from '~/domain/observation.ts'
import { offerId } from '~/domain/offer/id.ts'

/** The most prices that are remembered; of more, the oldest are recorded again. */
const PRICES_MAX = 20_000

type Times = { readonly repeatMs: number; readonly nowMs: number }

/** Rows that do not repeat their offer's last price within `repeatMs`, and the last prices. */
export function unrepeated(
  rows: readonly Observation[],
  seen: Seen['prices'],
  { repeatMs, nowMs }: Times,
): { readonly rows: Observation[]; readonly prices: Seen['prices'] } {
  const held = Object.entries(seen).filter(([, [, atMs]]) => atMs > nowMs - repeatMs)
  const prices = new Map(held)
  const fresh = rows.filter(({ effectiveMs, ...row }) => {
    const key = offerId(row)
    const price = digestOf(row)
    const [lastPrice, lastMs] = prices.get(key) ?? [null, Number.NEGATIVE_INFINITY]
    const isLater = effectiveMs >= lastMs
    if (price === lastPrice && isLater && effectiveMs - lastMs < repeatMs) return false
    if (isLater) {
      prices.delete(key)
      prices.set(key, [price, effectiveMs])
    }
    return true
  })
  return { rows: fresh, prices: Object.fromEntries([...prices].slice(-PRICES_MAX)) }
}

const digestOf = (value: unknown): string => Bun.hash(JSON.stringify(value)).toString(36)
