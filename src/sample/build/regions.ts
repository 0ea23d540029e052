type Place = { country: string; area: string; continent: string }

const PLACES: Readonly<Record<string, Place>> = {
  AED: { country: 'United Arab Emirates', area: 'Gulf', continent: 'Asia' },
  AOA: { country: 'Angola', area: 'Southern Africa', continent: 'Africa' },
  BWP: { country: 'Botswana', area: 'Southern Africa', continent: 'Africa' },
  CAD: { country: 'Canada', area: 'North America', continent: 'North America' },
  EUR: { country: 'Euro area', area: 'Europe', continent: 'Europe' },
  GBP: { country: 'United Kingdom', area: 'Europe', continent: 'Europe' },
  GHS: { country: 'Ghana', area: 'West Africa', continent: 'Africa' },
  GMD: { country: 'The Gambia', area: 'West Africa', continent: 'Africa' },
  KES: { country: 'Kenya', area: 'East Africa', continent: 'Africa' },
  MWK: { country: 'Malawi', area: 'Southern Africa', continent: 'Africa' },
  RWF: { country: 'Rwanda', area: 'East Africa', continent: 'Africa' },
  SAR: { country: 'Saudi Arabia', area: 'Gulf', continent: 'Asia' },
  TZS: { country: 'Tanzania', area: 'East Africa', continent: 'Africa' },
  USD: { country: 'United States', area: 'North America', continent: 'North America' },
  XAF: { country: 'Central Africa', area: 'Central Africa', continent: 'Africa' },
  ZAR: { country: 'South Africa', area: 'Southern Africa', continent: 'Africa' },
}

/**
 * Where a provider sends from, judged by its source currencies: the smallest of country, area and
 * continent that holds them all, `Global` when none does. Says nothing of corridors the data lacks.
 */
export function regionOf(sourceCurrencies: readonly string[]): string {
  const places = sourceCurrencies.map((code) => {
    const place = PLACES[code]
    if (place === undefined) throw new Error(`no region is known for ${code}`)
    return place
  })
  for (const level of ['country', 'area', 'continent'] as const) {
    const names = new Set(places.map((place) => place[level]))
    if (names.size === 1) return places[0]![level]
  }
  return 'Global'
}
