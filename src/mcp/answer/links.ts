/** A path with its query; absent parameters are left out, lists are joined by commas. */
type Place = { readonly path: string; readonly query?: Readonly<Record<string, unknown>> }

/** Page and file of a result. */
export type Places = {
  readonly page: Place
  /** All of it from the API, as CSV. */
  readonly csv?: Place
}

const API = '/api/v1'

/** The links of a result, below the address at which the service was called. */
export const linksOf = (home: string, { page, csv }: Places) => ({
  page: home + textOf(page),
  ...(csv && { csv: home + API + textOf({ ...csv, query: { ...csv.query, format: 'csv' } }) }),
})

/** Parameters of a page of results, which the API has not, or has otherwise. */
const OWN = new Set(['detail', 'limit', 'offset', 'providers', 'country'])

function textOf({ path, query = {} }: Place): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && !OWN.has(name)) params.set(name, [value].flat().join(','))
  return params.size === 0 ? path : `${path}?${params}`
}

type Between = {
  readonly source_country?: string
  readonly target_country?: string
  readonly from?: string
  readonly to?: string
  readonly amount?: number
  readonly recipient_gets?: number
  readonly pay_in?: readonly string[]
  readonly pay_out?: readonly string[]
  readonly delivery_max?: string
  readonly known_at?: string
}

/** The page of two countries, or of two currencies if the countries are not both known. */
export function pageOf({ source_country, target_country, ...asked }: Between): Place {
  const { from, to, amount, recipient_gets, pay_in, pay_out, delivery_max, known_at } = asked
  const query = { from, to, amount, recipient_gets, known_at }
  if (source_country === undefined || target_country === undefined) return { path: '/', query }
  const path = `/send/${source_country}-to-${target_country}`.toLowerCase()
  return { path, query: { ...query, pay_in, pay_out, delivery_max } }
}
