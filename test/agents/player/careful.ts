import { type Caveat, DECLINED, type Reply, type Slots, said } from '../question.ts'
import { PLANS } from './plans.ts'
import type { Answer, Body, Player, Tools } from './player.ts'

/**
 * Reads the whole response: declines if a number is not for the request, repeats the caveats that
 * come with one, and retries a call once with the name that an error suggests.
 */
export const careful: Player = async ({ template, slots }, tools) => {
  const plan = PLANS[template]
  if (!plan) return DECLINED
  const { isError, body } = await asked(tools, plan.tool, plan.args(slots))
  if (isError) return DECLINED
  return READINGS[template]!(body, slots) ?? DECLINED
}

/** Repetitions of a call with a suggested name: each side of a pair may be misspelt. */
const REPEATS_MAX = 2

async function asked(tools: Tools, tool: string, args: Record<string, unknown>): Promise<Answer> {
  let answer = await tools.call(tool, args)
  let corrected = args
  for (let turn = 0; turn < REPEATS_MAX && answer.isError; turn++) {
    const better = mended(corrected, answer.body)
    if (better === null) break
    corrected = better
    answer = await tools.call(tool, corrected)
  }
  return answer
}

/** The single name that was probably meant; no match for several. */
const SUGGESTION = /did you mean ([\w-]+) \([^)]*\)\?/

type Fault = { readonly parameter: string; readonly error: string }

function mended(args: Record<string, unknown>, body: Body): Record<string, unknown> | null {
  const faults: Fault[] = body.faults ?? [{ parameter: body.parameter, error: body.error }]
  const better = { ...args }
  for (const { parameter, error } of faults) {
    const meant = SUGGESTION.exec(error)?.[1]
    const given = args[parameter]
    if (meant === undefined) return null
    const [wrong] = /"[^"]*"/.exec(error) ?? []
    better[parameter] = Array.isArray(given)
      ? given.map((one) => (JSON.stringify(one) === wrong ? meant : one))
      : meant
  }
  return better
}

type Reading = (body: Body, slots: Slots) => Reply | null

/** The caveats of an entry of a list. */
const caveatsOf = (entry: Body): Caveat[] => [
  ...(entry.amount_match === 'nearest' || entry.at_amount !== undefined
    ? (['nearest'] as const)
    : []),
  ...(entry.is_stale === true ? (['stale'] as const) : []),
  ...(entry.suspect === undefined ? [] : (['suspect'] as const)),
]

/** Reports whether an entry fits the request and is believed. */
const isFit = (entry: Body): boolean =>
  entry.unspecified === undefined &&
  entry.suspect === undefined &&
  entry.amount_match !== 'out_of_range'

const ofEntry =
  (field: string): Reading =>
  (body) => {
    const entry = body.best_current ?? body.best
    if (!entry || !isFit(entry) || typeof entry[field] !== 'number') return null
    return said({ figure: entry[field], name: entry.provider_name, caveats: caveatsOf(entry) })
  }

const best = ofEntry('net_converted')

const averageCost: Reading = ({ average_pct }) =>
  typeof average_pct === 'number' ? said({ figure: average_pct }) : null

const midOf = ({ results }: Body): number | null => {
  const [row] = Object.values<Body>(results)
  const [cell] = Object.values<Body>(row ?? {})
  return typeof cell?.mid === 'number' ? cell.mid : null
}

const mid: Reading = (body, { amount = 1 }) => {
  const rate = midOf(body)
  return rate === null ? null : said({ figure: Number(amount) * rate })
}

const DATE_LENGTH = 10

/** The day of a price, which is known even if its rate is not believed. */
const firstDay: Reading = ({ providers: [entry] }) =>
  entry ? said({ date: entry.last_updated.slice(0, DATE_LENGTH), caveats: caveatsOf(entry) }) : null

const firstRate: Reading = ({ providers: [entry] }) =>
  entry && isFit(entry)
    ? said({
        figure: entry.rate,
        name: entry.provider_name,
        date: entry.last_updated.slice(0, DATE_LENGTH),
        caveats: caveatsOf(entry),
      })
    : null

const statedRate =
  (figureOf: (rate: Body) => number | null): Reading =>
  ({ rates }, { date }) => {
    const [rate] = rates
    const figure = rate ? figureOf(rate) : null
    if (figure === null) return null
    const isEarlier = rate.rate_date !== date
    return said({ figure, date: rate.rate_date, caveats: isEarlier ? ['earlier'] : [] })
  }

const extremeDay: Reading = (body, { which }) => {
  const found = body[which as string]?.mid
  return found ? said({ figure: found.rate, date: found.t }) : null
}

const move: Reading = ({ largest_move }) => {
  const found = largest_move?.mid
  return found ? said({ figure: found.pct, date: found.t }) : null
}

const onDay: Reading = ({ data }, { amount, date }) => {
  const point = data.find((one: Body) => one.t === date)
  if (typeof point?.mid !== 'number' || point.mid_at !== undefined) return null
  return said({ figure: Number(amount) * point.mid, date: point.t })
}

/** Where each kind of response holds the requested value. */
const READINGS: Readonly<Record<string, Reading>> = {
  'best by what arrives': best,
  'amount for a receipt': ofEntry('send_amount'),
  'one provider against another': best,
  'best by way of paying': best,
  'best by speed': best,
  'average cost': averageCost,
  'average cost by way of paying': averageCost,
  'points between two pairs': ({ pairs }, _slots) =>
    pairs.length === 2 ? said({ figure: Math.abs(pairs[0].pct - pairs[1].pct) }) : null,
  'top N': ({ pairs }) =>
    said({ list: pairs.map((one: Body) => `${one.source_country}/${one.target_country}`) }),
  'cheapest country to send from': ({ pairs: [pair] }) =>
    pair ? said({ figure: pair.pct, name: pair.source_country }) : null,
  coverage: ({ providers: [one] }) =>
    one ? said({ figure: one.pairs, name: one.provider_name }) : null,
  'cheapest provider': ({ providers: [one] }) =>
    one ? said({ figure: one.pct, name: one.provider_name }) : null,
  'mid of now': mid,
  inverse: mid,
  'age of a price': firstDay,
  'a stale price leads': firstRate,
  'official rate of a date': statedRate(({ rate }) => rate),
  'official against mid on its date': statedRate(({ gap_bps }) =>
    typeof gap_bps === 'number' ? gap_bps / 100 : null,
  ),
  change: ({ change }) =>
    typeof change?.mid?.pct === 'number' ? said({ figure: change.mid.pct }) : null,
  'extreme day': extremeDay,
  'largest daily move': move,
  'what it would have brought then': onDay,
  'amount out of range': best,
  'way of paying unsaid': best,
  'no offers': best,
  'a provider that is not there': best,
  'unknown provider': best,
  'official only': best,
  'ambiguous currency': mid,
  'carried mid': onDay,
  'before the first record': onDay,
}
