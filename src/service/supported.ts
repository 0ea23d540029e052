import type { Corridor } from '~/domain/corridor.ts'
import { currencyCode } from '~/domain/currency.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'

const ECHO_LENGTH_MAX = 40

/** The code of an active currency, or a 400 `unsupported_currency` that lists those there are. */
export function supportedCode(catalogue: CatalogueIndex, text: string, parameter: string): string {
  const known = catalogue.currency(text) ?? catalogue.currency(currencyCode(text) ?? '')
  if (known) return known.code
  const shown = JSON.stringify(text.slice(0, ECHO_LENGTH_MAX)).replace(/\s+/g, ' ')
  throw new ServiceError(
    'unsupported_currency',
    `${parameter}: ${shown} is not a supported currency; use one of supported_currencies`,
    { parameter, supported_currencies: catalogue.supportedCodes },
  )
}

/** Both codes of a corridor; a 400 when one is unsupported or both are the same. */
export function supportedCorridor(catalogue: CatalogueIndex, pair: Corridor): Corridor {
  const from = supportedCode(catalogue, pair.from, 'from')
  const to = supportedCode(catalogue, pair.to, 'to')
  if (from === to)
    throw new ServiceError(
      'same_currency',
      `from and to are both ${from}; a corridor needs two different currencies`,
    )
  return { from, to }
}
