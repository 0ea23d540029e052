/** The unit of values: target currency per source currency, target currency, or percent. */
export type AlertUnit = 'rate' | 'money' | 'percent'

type Field = {
  /** Null for a field that is true or false, and so compares nothing. */
  readonly unit: AlertUnit | null
  /** Says whether it is evaluated for an amount of the source currency. */
  readonly isForAmount: boolean
  /** Says whether offers decide it, so that countries narrow it. */
  readonly isOfOffers: boolean
  /** Says whether its past is known, so that a move can be measured over a period. */
  readonly hasPast: boolean
  /** Says whether its period is an age, from which it becomes true. */
  readonly isOfAge: boolean
  /**
   * Name in a sentence, and an amount follows if it is for one; without a unit a whole sentence
   * that is true or false, or what can be of an age.
   */
  readonly subject: string
  readonly meaning: string
}

const OF_OFFERS = { isForAmount: false, isOfOffers: true, hasPast: false, isOfAge: false }

/** Everything that can be watched. `src/service/alert/value.ts` computes the value of each. */
export const FIELDS = {
  best: {
    ...{ ...OF_OFFERS, unit: 'rate', hasPast: true },
    ...{ subject: 'the best rate', meaning: 'the best rate' },
  },
  best_current_net: {
    ...{ ...OF_OFFERS, unit: 'money', isForAmount: true },
    subject: 'what arrives for',
    meaning: 'the net amount of the best current offer',
  },
  mid: {
    ...{ ...OF_OFFERS, unit: 'rate', isOfOffers: false, hasPast: true },
    subject: 'the mid-market rate',
    meaning: 'the mid, which does not fire while feeds dispute it',
  },
  total_pct: {
    ...{ ...OF_OFFERS, unit: 'percent', isForAmount: true },
    subject: 'the total cost of sending',
    meaning: 'the lowest total cost of a current offer in percent',
  },
  stale: {
    ...{ ...OF_OFFERS, unit: null, isOfAge: true },
    subject: 'prices',
    meaning: 'whether prices are stale',
  },
  monthly: {
    ...{ ...OF_OFFERS, unit: null, isForAmount: true },
    subject: 'the three cheapest offers for',
    meaning: 'the three cheapest current offers, sent on the first of each month',
  },
} as const satisfies Record<string, Field>

/** The number of offers in a monthly email. */
export const CHEAPEST_OFFERS = 3

/** Reports whether an alert fires by the calendar, once a month, and not by a value. */
export const isMonthly = ({ field }: { readonly field: AlertField }): boolean => field === 'monthly'

export type AlertField = keyof typeof FIELDS

export const ALERT_FIELDS = Object.keys(FIELDS) as [AlertField, ...AlertField[]]

/** The names of fields for which something holds, in their order. */
export const fieldsThat = (hold: (field: Field) => boolean): readonly AlertField[] =>
  ALERT_FIELDS.filter((name) => hold(FIELDS[name]))

export const fieldOf = (field: AlertField): Field => FIELDS[field]
