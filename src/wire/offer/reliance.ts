import type { Provider } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { ageFields, rateDateField, standingFields } from '~/wire/fields.ts'
import { presentAge, presentRateDate, presentStanding } from '~/wire/present.ts'
import { presentSuspect, suspectFields } from './suspect.ts'

/** The fields that say how far a quote can be relied on: whether it is believed, age, evidence. */
export const relianceFields = {
  ...suspectFields,
  ...ageFields,
  ...rateDateField,
  ...standingFields,
}

type Judged = Pick<RankedQuote, 'quote' | 'isStale' | 'suspect'>

/** The fields of `relianceFields`. */
export const presentReliance = (judged: Judged, provider: Pick<Provider, 'timeZone'>) => ({
  ...presentSuspect(judged),
  ...presentAge(judged),
  ...presentRateDate(judged.quote, provider),
  ...presentStanding(judged.quote),
})
