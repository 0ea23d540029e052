import type { Currency } from '~/domain/currency.ts'
import type { Provider } from '~/domain/provider.ts'
import { currency, provider } from '../support/catalogue.ts'

/** The provider that quotes every corridor of the test: its quote is the best there. */
export const PROVIDER = 'quoted'

/** Parts of each currency's mid; it does not change while a failure is played. */
export const PER_USD: Readonly<Record<string, number>> = {
  ...{ USD: 1, EUR: 0.86, GBP: 0.74, ZAR: 17.7 },
  ...{ KES: 129, NGN: 1530, UGX: 3520, XOF: 563 },
}

export const SOURCE = 'fault-test'

/** The pairs of corridors that one writer records together, in one batch. */
export const LANES = [
  ['USD/KES', 'USD/NGN'],
  ['GBP/KES', 'EUR/XOF'],
  ['USD/ZAR', 'GBP/UGX'],
] as const

/** Recorded by the check for recovery. */
export const PROBE = 'ZAR/KES'

/** Its price goes up and down, and alerts watch it. */
export const ALERTED = 'EUR/KES'

export const CORRIDORS: readonly string[] = [...LANES.flat(), PROBE]

/** The callers: the name of an account, its plan, its role. */
export const CALLERS = {
  live: ['enterprise', 'member'],
  hourly: ['pro', 'member'],
  past: ['enterprise', 'member'],
  writer: ['enterprise', 'treasury'],
  probe: ['enterprise', 'admin'],
  hourlyProbe: ['pro', 'member'],
  small: ['free', 'member'],
  reader: ['enterprise', 'member'],
  hourlyReader: ['pro', 'member'],
  alerted: ['enterprise', 'treasury'],
} as const

export type CallerName = keyof typeof CALLERS

/** Daily units of the small account; the others are unlimited. */
export const SMALL_QUOTA = 40

const BASE_RATE = 100
const STEPS = 1000

/** A rate that identifies an observation of its corridor. */
export const rateOf = (seq: number): number => (BASE_RATE * STEPS + seq) / STEPS

/** The number of the observation with a rate; null if there is none. */
export function seqOf(rate: number): number | null {
  const seq = Math.round((rate - BASE_RATE) * STEPS)
  return Math.abs(rateOf(seq) - rate) < 1e-9 ? seq : null
}

export const catalogue: { currencies: Currency[]; providers: Provider[] } = {
  currencies: Object.keys(PER_USD).map((code) => currency(code)),
  providers: [provider(PROVIDER)],
}

/** The expected mid of a corridor, apart from rounding. */
export function midOf(corridor: string): number {
  const [from = '', to = ''] = corridor.split('/')
  return PER_USD[to]! / PER_USD[from]!
}
