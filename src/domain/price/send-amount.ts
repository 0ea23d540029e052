import { AMOUNT_MAX, feeInTarget, feePrice } from '~/domain/convert.ts'
import { type Factors, reaches } from '~/domain/decimal.ts'
import { feePercentOf } from '~/domain/offer/fee.ts'
import type { Quote } from '~/domain/quote.ts'

/** Numbers of 12 digits with one exponent: from 1.00000000000 to 9.99999999999. */
const STEPS = 9e11
const FIRST = 1e11
const DIGITS = 12
/** Relative distance from the goal below which doubles are too coarse to decide the side. */
const DOUBT = 1e-13

/**
 * The least amount of the source currency, in 12 digits, of which at least `net` of the target
 * currency arrives.
 *
 * It is calculated in the decimals that rate and fee are written as. Null if the fee cannot be
 * priced, and if it takes more than can be requested. `feeMid` is as in `netConverted`.
 */
export function sendAmount(quote: Quote, net: number, feeMid: number | null): number | null {
  const { rate } = quote
  const fee = feeInTarget(quote, feeMid)
  const percent = feePercentOf(quote)
  if (fee === null || percent >= 100) return null
  const charged = [quote.fee ?? 0, feePrice(quote, feeMid) ?? 0]
  const share = percent / 100
  const isEnough = (place: number) => {
    const amount = amountAt(place)
    const converted = amount * rate
    const taken = fee + converted * share
    const over = converted - taken - net
    if (Math.abs(over) > DOUBT * (converted + taken + net)) return over > 0
    const shared: Factors[] = percent === 0 ? [] : [[amount, rate, percent, 0.01]]
    return reaches(net, [amount, rate], charged, ...shared) ?? over >= 0
  }
  const found = leastPlace(placeOf((net + fee) / (rate * (1 - share))), isEnough)
  const amount = amountAt(found)
  return amount <= AMOUNT_MAX ? amount : null
}

/** The first place that is enough, looked for around a guess in steps that double, then halve. */
function leastPlace(guess: number, isEnough: (place: number) => boolean): number {
  const isBeyond = isEnough(guess)
  let [near, far, step] = [guess, guess + (isBeyond ? -1 : 1), 1]
  while (isEnough(far) === isBeyond) {
    step *= 2
    near = far
    far += isBeyond ? -step : step
  }
  let [short, enough] = isBeyond ? [far, near] : [near, far]
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (isEnough(middle)) enough = middle
    else short = middle
  }
  return enough
}

/** Rank of a number among all positive numbers of 12 digits, rounded to one. */
function placeOf(amount: number): number {
  const [digits, exponent] = amount.toExponential(DIGITS - 1).split('e')
  return Number(exponent) * STEPS + Number(digits!.replace('.', '')) - FIRST
}

function amountAt(place: number): number {
  const exponent = Math.floor(place / STEPS)
  return Number(`${place - exponent * STEPS + FIRST}e${exponent - DIGITS + 1}`)
}
