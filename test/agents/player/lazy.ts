import { DECLINED, type Slots, said } from '../question.ts'
import { PLANS } from './plans.ts'
import type { Body, Player } from './player.ts'

/**
 * Takes the first number of the wanted name in a response, with the name and the date next to it;
 * reads no note and no flag. Gives up on an error or a response without such a number.
 */
export const lazy: Player = async ({ template, slots }, tools) => {
  const plan = PLANS[template]
  if (!plan) return DECLINED
  const { isError, body } = await tools.call(plan.tool, plan.args(slots))
  const wanted = WANTED[template]
  if (isError || wanted === undefined) return DECLINED
  if (typeof wanted === 'function') return wanted(body, slots)
  const found = firstWith(body, wanted.figure)
  if (found === null) return DECLINED
  const times = wanted.isSum ? Number(slots.amount ?? 1) : 1
  return said({
    figure: Number(found[wanted.figure]) * times * (wanted.factor ?? 1),
    name: wanted.name === undefined ? null : found[wanted.name],
    date: wanted.date === undefined ? null : dateIn(found[wanted.date]),
  })
}

type Wanted = {
  readonly figure: string
  readonly name?: string
  readonly date?: string
  /** Says whether the number is a rate of the question's amount. */
  readonly isSum?: boolean
  readonly factor?: number
}

const DATE_LENGTH = 10
const dateIn = (text: Body): string | null =>
  typeof text === 'string' ? text.slice(0, DATE_LENGTH) : null

/** The first object with a number of that name, in the order of the text. */
function firstWith(value: Body, name: string): Body {
  if (typeof value !== 'object' || value === null) return null
  if (typeof value[name] === 'number') return value
  for (const part of Object.values(value)) {
    const found = firstWith(part, name)
    if (found !== null) return found
  }
  return null
}

const arriving: Wanted = { figure: 'net_converted', name: 'provider_name' }
const mid: Wanted = { figure: 'mid', isSum: true }
const day: Wanted = { figure: 'mid', date: 't', isSum: true }
const ofProvider: Wanted = { figure: 'rate', name: 'provider_name', date: 'last_updated' }

type Reading = (body: Body, slots: Slots) => ReturnType<typeof said>

/** Wanted values, by kind of question. */
const WANTED: Readonly<Record<string, Wanted | Reading>> = {
  'best by what arrives': arriving,
  'amount for a receipt': { figure: 'send_amount', name: 'provider_name' },
  'one provider against another': arriving,
  'best by way of paying': arriving,
  'best by speed': arriving,
  'average cost': { figure: 'average_pct' },
  'average cost by way of paying': { figure: 'average_pct' },
  'points between two pairs': ({ pairs: [one, other] }) =>
    one && other ? said({ figure: Math.abs(one.pct - other.pct) }) : DECLINED,
  'top N': ({ pairs }) =>
    said({ list: pairs.map((one: Body) => `${one.source_country}/${one.target_country}`) }),
  'cheapest country to send from': { figure: 'pct', name: 'source_country' },
  coverage: { figure: 'pairs', name: 'provider_name' },
  'cheapest provider': { figure: 'pct', name: 'provider_name' },
  'mid of now': mid,
  inverse: mid,
  'age of a price': ofProvider,
  'a stale price leads': ofProvider,
  'official rate of a date': { figure: 'rate', date: 'rate_date' },
  'official against mid on its date': { figure: 'gap_bps', date: 'rate_date', factor: 0.01 },
  change: ({ change }) =>
    typeof change?.mid?.pct === 'number' ? said({ figure: change.mid.pct }) : DECLINED,
  'extreme day': ({ ...body }, { which }) => {
    const found = body[which as string]?.mid
    return found ? said({ figure: found.rate, date: found.t }) : DECLINED
  },
  'largest daily move': (body) => {
    const found = firstWith(body.largest_move, 'pct')
    return found ? said({ figure: found.pct, date: found.t }) : DECLINED
  },
  'what it would have brought then': day,
  'amount out of range': arriving,
  'way of paying unsaid': arriving,
  'no offers': arriving,
  'a provider that is not there': arriving,
  'unknown provider': arriving,
  'official only': arriving,
  'ambiguous currency': mid,
  'carried mid': day,
  'before the first record': day,
}
