import type { Corridor } from '~/domain/corridor.ts'

const FORM = /^corridor:\/\/rates\/([A-Za-z]{3,4})\/([A-Za-z]{3,4})$/

/** The resource of every corridor: the result of `get_rates` for it. */
export const ratesTemplate = {
  uriTemplate: 'corridor://rates/{from}/{to}',
  name: 'rates',
  title: "Providers' rates in a corridor",
  description:
    'What get_rates returns for two currency codes. Reading it costs one unit, like a tool call.',
  mimeType: 'application/json',
}

/** The corridor whose rates an address names, in upper case; null if it is not such an address. */
export function corridorOf(uri: string): Corridor | null {
  const [, from, to] = FORM.exec(uri) ?? []
  return from && to ? { from: from.toUpperCase(), to: to.toUpperCase() } : null
}
