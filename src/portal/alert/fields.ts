import {
  ALERT_OPS,
  type AlertWish,
  type Condition,
  type Destination,
} from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { isOneLine } from '~/domain/naming/one-line.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import type { View } from '~/memory/view.ts'
import { type Place, placeFaults, placeText, writtenPlace } from '~/portal/place/place.ts'
import { plainNumberText } from '~/portal/words/format.ts'
import type { Words } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { writtenNumber } from '~/portal/written-number.ts'
import { ALERT_NAME_LENGTH_MAX, WEBHOOK_URL_LENGTH_MAX } from '~/wire/alert/alert.ts'

const FIELD_NAMES = [
  ...(['from', 'to', 'field', 'amount', 'op', 'value', 'since', 'age'] as const),
  ...(['once', 'tell', 'url', 'name'] as const),
] as const

export type FieldName = (typeof FIELD_NAMES)[number]

type Faults = Readonly<Partial<Record<FieldName, string>>>

export type AlertFields = {
  readonly texts: Readonly<Record<FieldName, string>>
  readonly places: Readonly<Record<'from' | 'to', Place | null>>
  readonly faults: Faults
}

/** A form as it was sent. */
export type WrittenAlert = AlertFields & {
  /** The requested alert; null if there are errors. */
  readonly wish: AlertWish | null
}

const TEXT_LENGTH_MAX = 600

export const OFFERED_PERIODS = ['24h', '7d', '30d', '90d']

type Texts = AlertFields['texts']

/** The strings of a form, each as `text` returns it. */
const textsOf = (text: (name: FieldName) => string): Texts =>
  Object.fromEntries(
    FIELD_NAMES.map((name) => [name, text(name).trim().slice(0, TEXT_LENGTH_MAX)]),
  ) as Texts

export function writtenAlert(
  words: Words,
  view: View,
  text: (name: FieldName) => string,
): WrittenAlert {
  const { say } = words
  const texts = textsOf(text)
  const { places, faults: placeFaults } = placesIn(words, view, texts)
  const faults: Partial<Record<FieldName, string>> = { ...placeFaults }
  const field = ALERT_FIELDS.find((one) => one === texts.field)
  if (!field) faults.field = say('alert-fault.field')
  const corridor = { from: places.from?.currency ?? '', to: places.to?.currency ?? '' }
  const amount =
    field && fieldOf(field).isForAmount ? amountIn(words, texts.amount, corridor.from) : NONE
  if (amount.fault !== null) faults.amount = amount.fault
  const when = field && conditionIn(words, { texts, field, to: corridor.to }, faults)
  const to = destinationIn(words, texts, faults)
  if (texts.name.length > ALERT_NAME_LENGTH_MAX)
    faults.name = say('alert-fault.name', { most: ALERT_NAME_LENGTH_MAX })
  else if (texts.name !== '' && !isOneLine(texts.name)) faults.name = say('alert-fault.name-line')
  const isWhole = Object.keys(faults).length === 0 && when
  const rest = { name: texts.name || null, isOnce: texts.once === 'yes' }
  const wish = isWhole
    ? { corridor, ...countriesIn(places, field), amount: amount.amount, when, to, ...rest }
    : null
  return { texts, places, faults, wish }
}

/** The countries that were named, for a field that they narrow. */
function countriesIn({ from, to }: AlertFields['places'], field: AlertField) {
  const { isOfOffers } = fieldOf(field)
  const codeOf = (place: Place | null) => (isOfOffers && place?.country?.code) || null
  return { sourceCountry: codeOf(from), targetCountry: codeOf(to) }
}

function placesIn(words: Words, { catalogue }: View, texts: Pick<Texts, 'from' | 'to'>) {
  const from = writtenPlace(words, texts.from, catalogue)
  const to = writtenPlace(words, texts.to, catalogue)
  return { places: { from: from.place, to: to.place }, faults: placeFaults(words, { from, to }) }
}

const NONE = { amount: null, fault: null }

function amountIn(words: Words, text: string, code: string) {
  if (text === '') return { amount: null, fault: words.say('alert-fault.amount') }
  return writtenAmount(words, text, code)
}

type Found = Partial<Record<FieldName, string>>

type Asked = { readonly texts: Texts; readonly field: AlertField; readonly to: string }

function conditionIn(words: Words, { texts, field, to }: Asked, faults: Found): Condition | null {
  const { unit, hasPast, isOfAge } = fieldOf(field)
  if (unit === null) {
    const periodMs = isOfAge ? ageMsOf(texts.age) : null
    return { field, op: null, value: null, periodMs }
  }
  const op = ALERT_OPS.find((one) => one === texts.op)
  if (!op) faults.op = words.say('alert-fault.op')
  const isPercent = unit === 'percent' || op === 'moves_pct'
  const { amount: value, fault } = isPercent
    ? percentIn(words, texts.value)
    : valueIn(words, texts.value, to)
  if (fault !== null) faults.value = fault
  if (!op || value === null) return null
  const isOverTime = op === 'moves_pct' && hasPast
  return { field, op, value, periodMs: isOverTime ? ageMsOf(texts.since) : null }
}

const unwritten = ({ say }: Words) => ({ amount: null, fault: say('alert-fault.number') })

const valueIn = (words: Words, text: string, code: string) =>
  text === '' ? unwritten(words) : writtenAmount(words, text, code)

const PERCENT = /^([-\u2212]?)\s*(.*?)\s*%?$/

function percentIn(words: Words, text: string) {
  if (text === '') return unwritten(words)
  const [, minus, digits] = PERCENT.exec(text) ?? []
  const number = writtenNumber(digits ?? text)
  if (number === null) return { amount: null, fault: words.say('alert-fault.unread', { text }) }
  return { amount: minus ? -number : number, fault: null }
}

function destinationIn({ say }: Words, { tell, url }: Texts, faults: Found): Destination {
  if (tell === 'email') return { kind: 'email' }
  if (tell !== 'webhook') faults.tell = say('alert-fault.tell')
  else if (url === '') faults.url = say('alert-fault.url')
  else if (url.length > WEBHOOK_URL_LENGTH_MAX)
    faults.url = say('alert-fault.url-long', { most: WEBHOOK_URL_LENGTH_MAX })
  return { kind: 'webhook', url }
}

type Proposed = {
  readonly view: View
  readonly params: URLSearchParams
  readonly isMailed: boolean
}

/** The form of a new alert, with what the address of the page says already. */
export function proposedFields(words: Words, { view, params, isMailed }: Proposed): AlertFields {
  const proposed: Partial<Texts> = {
    field: params.has('amount') ? 'best_current_net' : 'best',
    op: 'above',
    tell: isMailed ? 'email' : 'webhook',
  }
  return shown(
    words,
    view,
    textsOf((name) => params.get(name) ?? proposed[name] ?? ''),
  )
}

export function fieldsOf(words: Words, view: View, alert: AlertWish): AlertFields {
  const { corridor, amount, when, to, name, isOnce } = alert
  const placeOf = (country: string | null, currency: string) =>
    placeText(words, { country: COUNTRIES.get(country ?? '') ?? null, currency }, view.catalogue)
  const known: Partial<Texts> = {
    from: placeOf(alert.sourceCountry, corridor.from),
    to: placeOf(alert.targetCountry, corridor.to),
    amount: amount === null ? '' : plainNumberText(amount),
    field: when.field,
    op: when.op ?? 'above',
    value: when.value === null ? '' : plainNumberText(when.value),
    [fieldOf(when.field).unit === null ? 'age' : 'since']: periodText(when.periodMs),
    once: isOnce ? 'yes' : '',
    tell: to.kind,
    url: to.kind === 'webhook' ? to.url : '',
    name: name ?? '',
  }
  return shown(
    words,
    view,
    textsOf((one) => known[one] ?? ''),
  )
}

/** A period as the form offers it: `24h`, `7d`; any other in minutes. */
function periodText(ms: number | null): string {
  if (ms === null) return ''
  return OFFERED_PERIODS.find((one) => ageMsOf(one) === ms) ?? `${ms / MINUTE_MS}m`
}

/** Fields whose places are shown in full, without an error: they were not sent yet. */
function shown(words: Words, view: View, texts: Texts): AlertFields {
  const placeOf = (text: string) => writtenPlace(words, text, view.catalogue).place
  const places = { from: placeOf(texts.from), to: placeOf(texts.to) }
  const textOf = (name: 'from' | 'to') => {
    const place = places[name]
    return place ? placeText(words, place, view.catalogue) : texts[name]
  }
  return { texts: { ...texts, from: textOf('from'), to: textOf('to') }, places, faults: {} }
}
