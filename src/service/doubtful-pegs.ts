import { type DoubtfulPeg, doubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { ReferenceIndex } from '~/memory/reference-index.ts'

type Priced = { readonly catalogue: CatalogueIndex; readonly references: ReferenceIndex }

/** The pegs of active currencies that the newest words of feeds contradict. */
export const doubtfulPegsOf = ({ catalogue, references }: Priced): DoubtfulPeg[] =>
  catalogue.currencies.flatMap((currency) => {
    const { code } = currency
    const said = references.said(code, Number.POSITIVE_INFINITY)
    const pegged = references.reference(code, Number.POSITIVE_INFINITY)
    return doubtfulPeg(currency, { said, pegged }) ?? []
  })
