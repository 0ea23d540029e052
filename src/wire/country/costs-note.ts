import { corridorKey } from '~/domain/corridor.ts'
import type { CountryCosts } from '~/service/country/costs.ts'
import { lackNote, listed, staleNote } from '~/wire/note.ts'

/** The notes on costs, in sentences; null if there is nothing. */
export function costsNote({ cheapest, others, ...found }: CountryCosts): string | null {
  const { silentCount } = found
  const notes = [
    cheapest ? staleNote(cheapest.candidate) : emptyNote(found),
    others.length > 0
      ? `${pairText(found)} has offers in ${listed(others.map(corridorKey))} too; ask for them ` +
        'with from and to.'
      : null,
    silentCount > 0
      ? `Not counted: ${silentCount} of its offers that do not state the requested conditions.`
      : null,
  ].filter((note) => note !== null)
  return notes.length > 0 ? notes.join(' ') : null
}

const pairText = ({ sourceCountry, targetCountry }: CountryPair): string =>
  `${sourceCountry} to ${targetCountry}`

type CountryPair = Pick<CountryCosts, 'sourceCountry' | 'targetCountry'>

function emptyNote(found: Omit<CountryCosts, 'cheapest' | 'others'>): string {
  const { corridor, amount, lack } = found
  if (corridor && lack) return lackNote(lack, { corridor, amount })
  if (!corridor) return `No currency of one of the countries is supported; /currencies lists all.`
  if (amount === null)
    return `${corridor.from} has no recent mid to convert amount_usd; send amount instead.`
  const asked = found.isFiltered ? ' with the requested conditions' : ''
  return `No offer in ${corridorKey(corridor)} says that it is for ${pairText(found)}${asked}.`
}
