import type { View } from '~/memory/view.ts'
import { Field } from '~/portal/form.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { quotedCodes } from '~/service/corridors.ts'
import { flagPath, flagText } from './names.ts'
import { type Place, placesFor, placeText } from './place.ts'

const LIST_ID = 'places'

type Props = {
  readonly name: 'from' | 'to'
  readonly label: string
  readonly text: string
  /** The place that the string means; null if it means none. */
  readonly place: Place | null
  readonly view: View
  readonly error?: string | undefined
}

/** A country or currency, to be written or chosen from `PlaceList`, which the page needs once. */
export const PlaceField = ({ name, label, text, place, view, error }: Props) => (
  <Field
    name={name}
    label={label}
    value={text}
    error={error}
    icon={place && flagOf(place, view)}
    input={{ list: LIST_ID, autocomplete: 'off', maxLength: PLACE_LENGTH_MAX, spellcheck: false }}
  />
)

export const PLACE_LENGTH_MAX = 60

/** The path of a place's flag; null for one that has none among our own. */
function flagOf({ country, currency }: Place, { catalogue }: View): string | null {
  if (country) return flagPath(country)
  const url = catalogue.currency(currency)?.flagUrl ?? null
  return url?.startsWith('/') ? url : null
}

/** Proposals of browsers while a place is written. */
export function PlaceList({ view }: { view: View }) {
  const words = useWords()
  return (
    <datalist id={LIST_ID}>
      {placesFor(words, quotedCodes(view), view.catalogue).map((place) => {
        const text = placeText(words, place, view.catalogue)
        return <option key={text} value={text} label={labelOf(words, place, view)} />
      })}
    </datalist>
  )
}

/** Label of a country: its flag, and the name of its money. */
function labelOf(words: Words, { country, currency }: Place, { catalogue }: View) {
  if (!country) return undefined
  return `${flagText(country)} ${words.currencyName(catalogue.currency(currency)!)}`
}
