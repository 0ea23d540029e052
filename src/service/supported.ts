import type { Corridor } from '~/domain/corridor.ts'
import { currencyCode } from '~/domain/currency.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { OfferFilters } from '~/domain/offer/filter.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'

const ECHO_LENGTH_MAX = 40

/** Codes as the request names them, for each side. */
type Sides = { readonly from: readonly string[]; readonly to: readonly string[] }

/**
 * The codes of active currencies, each once on its side and in order of appearance; a 400
 * `unsupported_currency` names all that are not and lists those that are.
 */
export function supportedCodes(catalogue: CatalogueIndex, asked: Sides): Sides {
  const codes = (texts: readonly string[]) => new Set(texts.map((one) => knownCode(catalogue, one)))
  const [from, to] = [codes(asked.from), codes(asked.to)]
  if (from.has(null) || to.has(null)) throw unsupported(catalogue, asked)
  return { from: [...(from as Set<string>)], to: [...(to as Set<string>)] }
}

/**
 * Both codes of a corridor; a 400 when one is unsupported, or both are the same. Between two
 * requested countries, one currency is fine: dollars are sent for dollars.
 */
export function supportedCorridor(
  catalogue: CatalogueIndex,
  pair: Corridor,
  filters?: OfferFilters,
): Corridor {
  const from = knownCode(catalogue, pair.from)
  const to = knownCode(catalogue, pair.to)
  if (from === null || to === null)
    throw unsupported(catalogue, { from: [pair.from], to: [pair.to] })
  if (from === to && !(filters && isAbroad(filters)))
    throw new ServiceError(
      'same_currency',
      `from and to are both ${from}; a corridor needs two different currencies` +
        (filters ? ', or two countries in source_country and target_country' : ''),
    )
  return { from, to }
}

/** The code of one active currency; a 400 that names the parameter if there is none. */
export function supportedCurrency(
  catalogue: CatalogueIndex,
  { name, text }: { readonly name: string; readonly text: string },
): string {
  const code = knownCode(catalogue, text)
  if (code !== null) return code
  throw new ServiceError(
    'unsupported_currency',
    `${name}: ${quoted(text)} is not a supported currency; use one of supported_currencies`,
    { parameter: name, supported_currencies: catalogue.supportedCodes },
  )
}

/** Says whether `supportedCorridor` would take the codes of a pair that is quoted. */
export const isSupported = (
  catalogue: CatalogueIndex,
  { from, to }: Corridor,
  filters: OfferFilters,
): boolean =>
  Boolean(catalogue.currency(from) && catalogue.currency(to)) && (from !== to || isAbroad(filters))

/** Reports whether both countries are requested, and differ. */
const isAbroad = ({ sourceCountry, targetCountry }: OfferFilters): boolean =>
  sourceCountry !== null && targetCountry !== null && sourceCountry !== targetCountry

function knownCode(catalogue: CatalogueIndex, text: string): string | null {
  const known = catalogue.currency(text) ?? catalogue.currency(currencyCode(text) ?? '')
  return known?.code ?? null
}

/** Operations in which a side takes several codes. */
const LISTS_TAKEN = {
  from: '/fetch-many-to-one and /fetch-matrix take lists in from',
  to: '/fetch-multi and /fetch-matrix take lists in to',
} as const

function unsupported(catalogue: CatalogueIndex, asked: Sides): ServiceError {
  const faults = (['from', 'to'] as const).flatMap((side) =>
    asked[side].flatMap((text) =>
      knownCode(catalogue, text) === null ? [{ side, text, isList: text.includes(',') }] : [],
    ),
  )
  const lists = faults.filter(({ isList }) => isList)
  const sentences = lists.map(
    ({ side, text }) =>
      `${side}: ${quoted(text)} is a list, and here ${side} is one currency; ` +
      `${LISTS_TAKEN[side]} (as a tool: fetch_rates)`,
  )
  if (lists.length < faults.length)
    sentences.unshift(unknownCodes(faults.filter(({ isList }) => !isList)))
  return new ServiceError('unsupported_currency', sentences.join('; '), {
    parameter: faults[0]!.side,
    supported_currencies: catalogue.supportedCodes,
  })
}

type Fault = { readonly side: 'from' | 'to'; readonly text: string }

function unknownCodes(faults: readonly Fault[]): string {
  const named = [...Map.groupBy(faults, ({ side }) => side)].map(
    ([side, own]) => `${side}: ${own.map(({ text }) => quoted(text)).join(', ')}`,
  )
  return faults.length === 1
    ? `${named} is not a supported currency; use one of supported_currencies`
    : `${named.join('; ')} are not supported currencies; use those in supported_currencies`
}

const quoted = (text: string): string =>
  JSON.stringify(text.slice(0, ECHO_LENGTH_MAX)).replace(/\s+/g, ' ')
