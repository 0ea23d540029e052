import { World } from '../support/world.ts'

/** A read that costs a unit, in a form for which `answerable` worlds return 200. */
export type Question = { readonly path: string; readonly isTiered: boolean }

export const METERED: readonly Question[] = [
  { path: '/rates?from=USD&to=KES', isTiered: true },
  { path: '/convert?from=USD&to=KES&amount=200', isTiered: true },
  { path: '/currencies', isTiered: true },
  { path: '/corridors', isTiered: true },
  { path: '/corridors?by=country', isTiered: true },
  { path: '/countries', isTiered: true },
  { path: '/costs?source_country=GB&target_country=KE&amount=200', isTiered: true },
  { path: '/providers', isTiered: false },
  { path: '/fetch-one?from=USD&to=KES', isTiered: true },
  { path: '/fetch-multi?from=USD&to=KES,NGN', isTiered: true },
  { path: '/fetch-matrix?from=USD,GBP&to=KES,NGN', isTiered: true },
  { path: '/fetch-many-to-one?from=USD,GBP&to=KES', isTiered: true },
  { path: '/rates/provider?provider=retail-a', isTiered: true },
]

/** Invalid reads, which are free of charge. */
export const FAILING: readonly { path: string; status: number }[] = [
  { path: '/rates?from=USD', status: 400 },
  { path: '/convert?from=USD&to=KES&amount=0', status: 400 },
  { path: '/costs?source_country=UK&target_country=KE&amount=200', status: 400 },
  { path: '/fetch-one?from=USD&to=XXX', status: 400 },
  { path: '/fetch-multi?from=USD&to=', status: 400 },
  { path: '/fetch-matrix?from=USD&to=KES,,NGN', status: 400 },
  { path: '/fetch-many-to-one?from=USD', status: 400 },
  { path: '/rates/provider?provider=nobody', status: 404 },
]

export const QUOTA_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
]

/** A world with one quote and references that cover every fiat currency of the catalogue. */
export function answerable(options: ConstructorParameters<typeof World>[0] = {}): World {
  const world = new World(options)
  const at = '2026-03-05T12:00:00.000Z'
  const rates = { GBP: 0.8, EUR: 0.9, KES: 130, NGN: 1500, UGX: 3700, XOF: 600, ZAR: 18 }
  world.reference(rates, { at })
  world.quote({ providerId: 'retail-a', rate: 129, at })
  return world
}
