import { AMOUNT_MAX } from '~/domain/convert.ts'
import { plainNumberText } from './words/format.ts'
import type { Words } from './words/words.ts'
import { readsAsDecimals, writtenNumber } from './written-number.ts'

/** An amount that a person wrote, or what is wrong with it. */
type WrittenAmount =
  | { readonly amount: number; readonly hint: string | null; readonly fault: null }
  | { readonly amount: null; readonly hint: null; readonly fault: string }

const MARK = String.raw`[\p{L}\p{Sc}][\p{L}\p{Sc}.\s]*`
const MARKED = new RegExp(String.raw`^(${MARK})?([^\p{L}\p{Sc}]+)(${MARK})?$`, 'u')

/**
 * The amount in a string such as `1,250.50`, `£200` or `200 GBP`; the currency in it, if any, has
 * to be `code`. The hint says how an ambiguous string was read.
 */
export function writtenAmount(words: Words, text: string, code: string): WrittenAmount {
  const { say, plainAmountText } = words
  const [, before = '', digits = '', after = ''] = MARKED.exec(text.trim()) ?? []
  const number = digits.trim()
  const amount = number.startsWith('-') ? 0 : writtenNumber(number)
  if (amount === null) return wrong(say('amount.unread', { text }))
  const foreign = [before, after].find((mark) => mark !== '' && !isMarkOf(code, mark))
  if (foreign !== undefined) return wrong(otherCurrency(words, foreign, code))
  if (amount <= 0) return wrong(say('amount.zero'))
  if (amount > AMOUNT_MAX) return wrong(say('amount.large', { most: plainAmountText(AMOUNT_MAX) }))
  return { amount, hint: readsAsDecimals(number) ? pointHint(words, amount) : null, fault: null }
}

const wrong = (fault: string) => ({ amount: null, hint: null, fault })

const otherCurrency = ({ say }: Words, mark: string, code: string): string =>
  say(code === '' ? 'amount.foreign-any' : 'amount.foreign', { mark: mark.trim(), code })

function pointHint({ say, plainAmountText }: Words, amount: number): string {
  const thousands = Math.round(amount * 1000)
  return say('amount.point', {
    read: plainAmountText(amount),
    thousands: plainAmountText(thousands),
    written: plainNumberText(thousands),
  })
}

/** Signs that people write for a currency, besides its code and those of the Unicode data. */
const LOCAL_SIGNS: Readonly<Record<string, readonly string[]>> = {
  ETB: ['br'],
  GHS: ['₵', 'ghc', 'gh¢'],
  KES: ['ksh', 'kshs', 'sh'],
  MAD: ['dh', 'dhs', 'د.م'],
  MWK: ['mk', 'k'],
  MZN: ['mt', 'mtn'],
  NGN: ['n'],
  TZS: ['tsh', 'tzsh'],
  UGX: ['ush', 'sh'],
  USD: ['us$'],
  XAF: ['cfa', 'f'],
  XOF: ['cfa', 'fcfa', 'f'],
  ZMW: ['k'],
}

function isMarkOf(code: string, mark: string): boolean {
  const sign = bare(mark)
  return [code, ...(LOCAL_SIGNS[code] ?? []), ...knownSigns(code)].some((own) => bare(own) === sign)
}

const bare = (mark: string): string => mark.replace(/[\s.]/g, '').toLowerCase()

const WHOLE = { style: 'currency', maximumFractionDigits: 0 } as const

/** The signs of a currency, and its name in the singular and the plural: `£`, `pound`, `pounds`. */
function knownSigns(code: string): string[] {
  if (!/^[A-Z]{3}$/.test(code)) return []
  const partsOf = (currencyDisplay: 'symbol' | 'narrowSymbol' | 'name', amount: number) =>
    new Intl.NumberFormat('en', { ...WHOLE, currency: code, currencyDisplay })
      .formatToParts(amount)
      .find(({ type }) => type === 'currency')!.value
  const names = [partsOf('name', 1), partsOf('name', 2)]
  return [
    partsOf('symbol', 1),
    partsOf('narrowSymbol', 1),
    ...names.flatMap((name) => [name, name.split(' ').at(-1)!]),
  ]
}
