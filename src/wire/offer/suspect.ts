import type { Suspicion } from '~/domain/price/suspect.ts'
import { ageFields, optional, rateDateField, standingFields } from '~/wire/fields.ts'

/** The field that says why a price is not believed, on every entry that shows one. */
export const suspectFields = {
  suspect: optional.string({
    description:
      'Only on a price that is hard to believe: how far its rate is from the mid of its day, ' +
      'or from the current mid if there is none. Such a price is never the best.',
    examples: ['15.2 % above the mid of its day'],
  }),
}

/** The fields that say how far a quote can be relied on: whether it is believed, age, evidence. */
export const relianceFields = {
  ...suspectFields,
  ...ageFields,
  ...rateDateField,
  ...standingFields,
}

/** The field of a past price, which is compared only with the mid of its own time. */
export const pastSuspectField = optional.string({
  description:
    'Only on a price that is hard to believe: how far its rate was from the mid of its day. ' +
    'Without such a mid no observation is suspect.',
  examples: ['15.2 % above the mid of its day'],
})

/** Distance of a rate from its mid, in words that follow "it is". */
export function suspectText({ offPct, isOfDay }: Suspicion): string {
  const side = offPct > 0 ? 'above' : 'below'
  const mid = isOfDay ? 'the mid of its day' : 'the current mid'
  return `${Math.abs(offPct).toFixed(1)} % ${side} ${mid}`
}

/** The field of `suspectFields`; none for a price that is believed. */
export const presentSuspect = ({ suspect }: { readonly suspect: Suspicion | null }) =>
  suspect === null ? {} : { suspect: suspectText(suspect) }
