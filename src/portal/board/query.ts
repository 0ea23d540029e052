import type { Goal } from '~/domain/offer/choice.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { View } from '~/memory/view.ts'
import { KNOWN_AT } from '~/portal/cite/known-page.tsx'
import type { Pair } from '~/portal/place/pair.ts'
import {
  homePlace,
  type Place,
  placeFaults,
  placeText,
  writtenPlace,
} from '~/portal/place/place.ts'
import { PLACE_LENGTH_MAX } from '~/portal/place/place-field.tsx'
import type { Words } from '~/portal/words/words.ts'
import { type LiveCorridor, liveCorridors } from '~/service/corridors.ts'
import { type AmountName, type Amounts, amounts } from './amounts.ts'
import { type ChartPeriod, chartPeriodOf } from './chart-period.ts'

const PLACE_NAMES = ['from', 'to'] as const

type PlaceName = (typeof PLACE_NAMES)[number]

type FieldName = PlaceName | AmountName

export type Fields = Pick<Amounts, 'texts' | 'hints'> & {
  readonly placeTexts: Readonly<Record<PlaceName, string>>
  /** The place of each string; null if it means none. */
  readonly places: Readonly<Record<PlaceName, Place | null>>
  readonly faults: Readonly<Partial<Record<FieldName, string>>>
}

export type BoardQuery = Fields & {
  readonly period: ChartPeriod
  /** The earlier time that is asked for, as it was written; null for the present. */
  readonly knownAt: string | null
  /** The countries if two were named: they have a page of their own. */
  readonly pair: Pair | null
  /** Says whether no corridor was named, and none has a price that could be proposed. */
  readonly isPriceless: boolean
  /** The query; null if part of it cannot be served, which `faults` explains. */
  readonly question: BoardQuestion | null
}

export type BoardQuestion = {
  readonly from: string
  readonly to: string
  readonly goal: Goal
  readonly period: ChartPeriod
  readonly knownAt: string | null
}

/** The query in a board's address; missing parts are proposed. */
export function boardQuery(words: Words, view: View, params: URLSearchParams): BoardQuery {
  const places = { words, view, params }
  const from = askedPlace(places, 'from')
  const to = askedPlace(places, 'to')
  const isAsked = from !== null && to !== null
  const proposed = isAsked ? null : proposal(view, { from, to })
  const isPriceless = from === null && to === null && proposed === null
  const placed = {
    from: from ?? proposedPlace(words, proposed?.from),
    to: to ?? proposedPlace(words, proposed?.to),
  }
  const codes = { from: placed.from.place?.currency ?? '', to: placed.to.place?.currency ?? '' }
  const {
    texts,
    goal,
    hints,
    faults: amountFaults,
  } = amounts(view, params, {
    words,
    ...codes,
    offers: view.offers(codes.from, codes.to),
  })
  const faults = { ...(!isPriceless && placeFaults(words, placed)), ...amountFaults }
  const isWhole = !isPriceless && Object.keys(faults).length === 0 && goal !== null
  const period = chartPeriodOf(params.get('period'))
  const knownAt = params.get(KNOWN_AT)
  const { catalogue } = view
  const textOf = ({ text, place }: AskedPlace) =>
    place ? placeText(words, place, catalogue) : text
  return {
    placeTexts: { from: textOf(placed.from), to: textOf(placed.to) },
    places: { from: placed.from.place, to: placed.to.place },
    texts,
    hints,
    faults,
    period,
    knownAt,
    pair: isAsked ? pairOf(placed) : null,
    isPriceless,
    question: isWhole ? { ...codes, goal, period, knownAt } : null,
  }
}

type AskedPlace = {
  readonly text: string
  readonly place: Place | null
  readonly fault: string | null
}

type Placed = Readonly<Record<PlaceName, AskedPlace>>

type InAddress = {
  readonly words: Words
  readonly view: View
  readonly params: URLSearchParams
}

/** The place in a parameter; null if it is missing or empty. */
function askedPlace({ words, view, params }: InAddress, name: PlaceName): AskedPlace | null {
  const text = params.get(name)?.trim().slice(0, PLACE_LENGTH_MAX)
  return text ? { text, ...writtenPlace(words, text, view.catalogue) } : null
}

function proposedPlace({ say }: Words, code: string | undefined): AskedPlace {
  if (code === undefined) return { text: '', place: null, fault: say('place.choose') }
  return { text: code, place: homePlace(code), fault: null }
}

function pairOf({ from, to }: Placed): Pair | null {
  const source = from.place?.country
  const target = to.place?.country
  return source && target && source !== target ? { source, target } : null
}

type Asked = Readonly<Record<PlaceName, AskedPlace | null>>

/** The corridor with the most providers that transfer money, among those with the given ends. */
function proposal(view: View, { from, to }: Asked): LiveCorridor | null {
  let best: { corridor: LiveCorridor; count: number } | null = null
  for (const corridor of liveCorridors(view)) {
    if (from && corridor.from !== from.place?.currency) continue
    if (to && corridor.to !== to.place?.currency) continue
    const count = corridor.view.quotes.filter(isSendable).length
    if (best === null || count > best.count) best = { corridor, count }
  }
  return best?.corridor ?? null
}

/** Reports whether money can be sent at a price, and it is not an old one. */
const isSendable = ({ quote, isStale }: LiveCorridor['view']['quotes'][number]): boolean =>
  isExecutable(quote.rateType) && !isStale
