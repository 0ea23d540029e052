import { code as isoCurrency } from 'currency-codes'
import countries from 'flag-icons/country.json'
import type { SampleCurrency } from '~/sample/sample.ts'
import { PEGS } from './mids.ts'
import type { MidRow } from './rows.ts'

/** The slot of the central bank where a currency has many countries. */
const FLAG_EXCEPTIONS: Readonly<Record<string, string>> = { XAF: 'cm', XOF: 'sn' }

const STABLECOINS = [
  { code: 'USDC', name: 'USD Coin' },
  { code: 'USDT', name: 'Tether' },
]
const STABLECOIN_MINOR_UNITS = 6
const SORT_STEP = 10

type Pair = { from: string; to: string }
type Pairs = { sources: Set<string>; targets: Set<string> }
type Draft = Omit<SampleCurrency, 'sort_order'>

/**
 * Every currency of the mids and of the quotes, and the two stablecoins of the specification (which
 * no row quotes).
 *
 * Order: African currencies that remittance companies send from or to, then the other currencies
 * they send from, then the rest of Africa, the rest of the world, and stablecoins; by code inside
 * each group.
 */
export function currenciesOf(of: {
  remitted: readonly Pair[]
  official: readonly Pair[]
  mids: readonly MidRow[]
}): SampleCurrency[] {
  const remitted = pairsOf(of.remitted)
  const quoted = pairsOf([...of.remitted, ...of.official])
  const codes = new Set([...quoted.sources, ...quoted.targets])
  for (const { currency } of of.mids) codes.add(currency)
  const drafts = [...codes].map((code) => fiat(code, quoted)).concat(STABLECOINS.map(stablecoin))
  const group = (draft: Draft) => groupOf(draft, remitted)
  drafts.sort((a, b) => group(a) - group(b) || (a.code < b.code ? -1 : 1))
  return drafts.map((draft, index) => ({ ...draft, sort_order: (index + 1) * SORT_STEP }))
}

function pairsOf(rows: readonly Pair[]): Pairs {
  return { sources: new Set(rows.map((r) => r.from)), targets: new Set(rows.map((r) => r.to)) }
}

function fiat(code: string, { sources, targets }: Pairs): Draft {
  const type = sources.has(code) === targets.has(code) ? 'both' : typeOf(sources.has(code))
  return {
    code,
    name: nameOf(code),
    type,
    kind: 'fiat',
    flag_url: `/flags/${flagOf(code)}.svg`,
    minor_units: minorUnitsOf(code),
    peg: PEGS[code] ?? null,
    is_active: true,
  }
}

const typeOf = (isSource: boolean): 'source' | 'target' => (isSource ? 'source' : 'target')

function stablecoin(coin: { code: string; name: string }): Draft {
  return {
    ...coin,
    type: 'both',
    kind: 'stablecoin',
    flag_url: null,
    minor_units: STABLECOIN_MINOR_UNITS,
    peg: null,
    is_active: true,
  }
}

const displayNames = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })

function nameOf(code: string): string {
  const name = displayNames.of(code)?.replace('—', '–')
  if (name === undefined) throw new Error(`currency ${code} has no English name`)
  return name
}

function minorUnitsOf(code: string): number {
  const minorUnits = isoCurrency(code)?.digits
  if (minorUnits === undefined) throw new Error(`currency ${code} is not in ISO 4217`)
  return minorUnits
}

/** ISO 4217 forms a code from the two letters of its country (or union, EU) and one of its own. */
const flagOf = (code: string): string => FLAG_EXCEPTIONS[code] ?? code.slice(0, 2).toLowerCase()

const africanFlags = new Set(
  countries.filter(({ continent }) => continent === 'Africa').map(({ code }) => code),
)

function groupOf({ code, kind }: Draft, remitted: Pairs): number {
  if (kind === 'stablecoin') return 4
  const isRemitted = remitted.sources.has(code) || remitted.targets.has(code)
  if (africanFlags.has(flagOf(code))) return isRemitted ? 0 : 2
  return isRemitted ? 1 : 3
}
