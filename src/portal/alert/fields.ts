import {
  ALERT_OPS,
  type AlertWish,
  type Condition,
  type Destination,
} from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import type { View } from '~/memory/view.ts'
import { plainNumberText } from '~/portal/format.ts'
import { type Place, placeText, writtenPlace } from '~/portal/place/place.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { writtenNumber } from '~/portal/written-number.ts'
import { ALERT_NAME_LENGTH_MAX, WEBHOOK_URL_LENGTH_MAX } from '~/wire/alert/alert.ts'

const FIELD_NAMES = [
  ...(['from', 'to', 'field', 'amount', 'op', 'value', 'since', 'age'] as const),
  ...(['once', 'tell', 'url', 'name'] as const),
] as const

export type FieldName = (typeof FIELD_NAMES)[number]

type Faults = Readonly<Partial<Record<FieldName, string>>>

/** What the form of an alert holds, and what is wrong with it. */
export type AlertFields = {
  readonly texts: Readonly<Record<FieldName, string>>
  readonly places: Readonly<Record<'from' | 'to', Place | null>>
  readonly faults: Faults
}

/** A form as it was sent. */
export type WrittenAlert = AlertFields & {
  /** What it asks for; null where there are faults. */
  readonly wish: AlertWish | null
}

const TEXT_LENGTH_MAX = 600

/** The periods that the form offers. */
export const OFFERED_PERIODS = ['24h', '7d', '30d', '90d']

type Texts = AlertFields['texts']

/** The texts of a form, each as `text` says it. */
const textsOf = (text: (name: FieldName) => string): Texts =>
  Object.fromEntries(
    FIELD_NAMES.map((name) => [name, text(name).trim().slice(0, TEXT_LENGTH_MAX)]),
  ) as Texts

/** Reads a form that was sent. */
export function writtenAlert(view: View, text: (name: FieldName) => string): WrittenAlert {
  const texts = textsOf(text)
  const { places, faults: placeFaults } = placesIn(view, texts)
  const faults: Partial<Record<FieldName, string>> = { ...placeFaults }
  const field = ALERT_FIELDS.find((one) => one === texts.field)
  if (!field) faults.field = 'Choose what to watch.'
  const corridor = { from: places.from?.currency ?? '', to: places.to?.currency ?? '' }
  const amount = field && fieldOf(field).isForAmount ? amountIn(texts.amount, corridor.from) : NONE
  if (amount.fault !== null) faults.amount = amount.fault
  const when = field && conditionIn(texts, field, corridor.to, faults)
  const to = destinationIn(texts, faults)
  if (texts.name.length > ALERT_NAME_LENGTH_MAX)
    faults.name = `A name has at most ${ALERT_NAME_LENGTH_MAX} characters.`
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

const SAME = 'Choose two different currencies.'

function placesIn({ catalogue }: View, texts: Pick<Texts, 'from' | 'to'>) {
  const from = writtenPlace(texts.from, catalogue)
  const to = writtenPlace(texts.to, catalogue)
  const isSame = from.place !== null && from.place.currency === to.place?.currency
  const faults: Faults = {
    ...(from.fault !== null && { from: from.fault }),
    ...(to.fault !== null ? { to: to.fault } : isSame && { to: SAME }),
  }
  return { places: { from: from.place, to: to.place }, faults }
}

const NONE = { amount: null, fault: null }

function amountIn(text: string, code: string) {
  if (text === '') return { amount: null, fault: 'Write how much is sent: a fee weighs by it.' }
  return writtenAmount(text, code)
}

type Found = Partial<Record<FieldName, string>>

function conditionIn(texts: Texts, field: AlertField, to: string, faults: Found): Condition | null {
  const { unit, hasPast } = fieldOf(field)
  if (unit === null) return { field, op: null, value: null, periodMs: ageMsOf(texts.age) }
  const op = ALERT_OPS.find((one) => one === texts.op)
  if (!op) faults.op = 'Choose when to tell.'
  const isPercent = unit === 'percent' || op === 'moves_pct'
  const { amount: value, fault } = isPercent ? percentIn(texts.value) : valueIn(texts.value, to)
  if (fault !== null) faults.value = fault
  if (!op || value === null) return null
  const isOverTime = op === 'moves_pct' && hasPast
  return { field, op, value, periodMs: isOverTime ? ageMsOf(texts.since) : null }
}

const UNWRITTEN = { amount: null, fault: 'Write a number.' }

const valueIn = (text: string, code: string) =>
  text === '' ? UNWRITTEN : writtenAmount(text, code)

const PERCENT = /^([-\u2212]?)\s*(.*?)\s*%?$/

function percentIn(text: string) {
  if (text === '') return UNWRITTEN
  const [, minus, digits] = PERCENT.exec(text) ?? []
  const number = writtenNumber(digits ?? text)
  if (number === null)
    return { amount: null, fault: `“${text}” is not a number we can read. Write it like 2.5.` }
  return { amount: minus ? -number : number, fault: null }
}

function destinationIn({ tell, url }: Texts, faults: Found): Destination {
  if (tell === 'email') return { kind: 'email' }
  if (tell !== 'webhook') faults.tell = 'Choose how to tell you.'
  else if (url === '') faults.url = 'Write the address of your server.'
  else if (url.length > WEBHOOK_URL_LENGTH_MAX)
    faults.url = `An address has at most ${WEBHOOK_URL_LENGTH_MAX} characters.`
  return { kind: 'webhook', url }
}

/** The form of a new alert, with what the address of the page says already. */
export function proposedFields(
  view: View,
  params: URLSearchParams,
  isMailed: boolean,
): AlertFields {
  const proposed: Partial<Texts> = {
    field: params.has('amount') ? 'best_current_net' : 'best',
    op: 'above',
    tell: isMailed ? 'email' : 'webhook',
  }
  return shown(
    view,
    textsOf((name) => params.get(name) ?? proposed[name] ?? ''),
  )
}

/** The form of an alert that there is. */
export function fieldsOf(view: View, alert: AlertWish): AlertFields {
  const { corridor, amount, when, to, name, isOnce } = alert
  const placeOf = (country: string | null, currency: string) =>
    placeText({ country: COUNTRIES.get(country ?? '') ?? null, currency }, view.catalogue)
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
    view,
    textsOf((one) => known[one] ?? ''),
  )
}

/** A period as the form offers it: `24h`, `7d`; any other in minutes. */
function periodText(ms: number | null): string {
  if (ms === null) return ''
  return OFFERED_PERIODS.find((one) => ageMsOf(one) === ms) ?? `${ms / MINUTE_MS}m`
}

/** Fields whose places are shown in full, without a fault: nobody has sent them yet. */
function shown(view: View, texts: Texts): AlertFields {
  const placeOf = (text: string) => writtenPlace(text, view.catalogue).place
  const places = { from: placeOf(texts.from), to: placeOf(texts.to) }
  const textOf = (name: 'from' | 'to') => {
    const place = places[name]
    return place ? placeText(place, view.catalogue) : texts[name]
  }
  return { texts: { ...texts, from: textOf('from'), to: textOf('to') }, places, faults: {} }
}
