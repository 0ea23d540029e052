import { meantBy } from '~/domain/naming/misspelling.ts'

/** Possible meanings of a column: a field of a row, or both currencies in one string. */
export const COLUMN_MEMBERS = [
  ...['provider_id', 'corridor', 'from', 'to', 'rate', 'fee', 'fee_currency', 'effective_from'],
  ...['notes', 'amount_min', 'amount_max', 'source_country', 'target_country', 'pay_in', 'pay_out'],
  ...['channel', 'service', 'fee_percent', 'delivery_min', 'delivery_max', 'valid_until'],
  ...['evidence', 'accept_implausible'],
] as const

export type ColumnMember = (typeof COLUMN_MEMBERS)[number]

/** Other names of columns, in the words of price lists. */
const ALSO: Partial<Record<ColumnMember, string>> = {
  provider_id: 'provider, company, operator, bank, name of provider, provider name, anbieter',
  corridor: 'currency pair, pair, route, ccy pair, currencies',
  from: `source currency, send currency, from currency, currency from, source, base currency, base,
    sending currency, sell currency, sell, ccy from, from ccy, von, de, devise source`,
  to: `target currency, receive currency, to currency, currency to, target, destination currency,
    receiving currency, payout currency, pay out currency, quote currency, buy currency, ccy to,
    to ccy, currency, nach, vers, devise cible`,
  rate: `exchange rate, fx rate, price, customer rate, fx, our rate, selling rate, kurs,
    wechselkurs, taux, taux de change, cours, cotacao, taxa, tasa`,
  fee: 'fees, charge, charges, transfer fee, commission, cost, gebuhr, gebuehr, frais, comision',
  fee_currency: 'currency of fee, fee ccy, charge currency, fees currency',
  effective_from: `effective, date, time, as of, timestamp, date and time, datetime, valid from,
    effective date, quoted at, datum, heure`,
  notes: 'note, comment, comments, remark, remarks',
  amount_min: 'min amount, minimum amount, minimum, min, from amount, amount from, lower limit',
  amount_max: 'max amount, maximum amount, maximum, max, to amount, amount to, upper limit',
  source_country: 'send country, from country, sending country, country from, origin country',
  target_country: 'receive country, to country, destination country, country to, destination',
  pay_in: 'payin, pay in method, payment method, funding method, paid by',
  pay_out: 'payout, payout method, delivery method, receive method, pay out method',
  service: 'product, service name',
  fee_percent: 'fee %, percentage fee, fee pct, percent fee, commission %, fee in percent',
  delivery_max: 'delivery time, delivery',
  valid_until: 'valid to, expires, expiry, valid until, expires at, until',
}

/** A name without case, accents and signs: `Fee (%)` is `fee %`. */
export const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}%]+/gu, ' ')
    .trim()

const KNOWN: ReadonlyMap<string, ColumnMember> = new Map([
  ...COLUMN_MEMBERS.flatMap((member) =>
    (ALSO[member] ?? '').split(',').flatMap((name) => entry(name, member)),
  ),
  ...COLUMN_MEMBERS.flatMap((member) => entry(member, member)),
  ...entry('source_currency', 'from'),
  ...entry('target_currency', 'to'),
])

function entry(name: string, member: ColumnMember): [string, ColumnMember][] {
  return folded(name) === '' ? [] : [[folded(name), member]]
}

/** The field of a column by one of its names; null for an unknown name. */
export const memberNamed = (name: string): ColumnMember | null => KNOWN.get(folded(name)) ?? null

/** A shorter name is never taken for a misspelt one; below the second length, by one letter. */
const [SIMILAR_LENGTH_MIN, LONG_NAME] = [4, 8]

/** The field whose name resembles that of a column; null for a name that resembles none. */
function memberLike(name: string): ColumnMember | null {
  const word = folded(name)
  if (word.length < SIMILAR_LENGTH_MIN) return null
  const meant = meantBy(word, [...KNOWN.keys()], word.length < LONG_NAME ? 1 : 2)
  return meant === null ? null : KNOWN.get(meant)!
}

/** Meaning of each column, by its place; null if it is not read. */
export type Columns = readonly (ColumnMember | null)[]

/**
 * Meaning of each column of a table: by an account's earlier choice for these names, by its name,
 * or by a similar name. A field that two columns claim with equal right is given to neither.
 */
export function columnsOf(
  header: readonly string[],
  remembered: ReadonlyMap<string, ColumnMember | null>,
): Columns {
  const columns: (ColumnMember | null)[] = header.map(() => null)
  const isSettled = (at: number) =>
    columns[at] !== null || remembered.get(folded(header[at]!)) === null
  const taken = new Set<ColumnMember>()
  for (const memberOf of [
    (name: string) => remembered.get(folded(name)),
    memberNamed,
    memberLike,
  ]) {
    const claims = header.map((name, at) => (isSettled(at) ? null : (memberOf(name) ?? null)))
    for (const [at, member] of claims.entries())
      if (member !== null && !taken.has(member) && isAlone(claims, member)) columns[at] = member
    for (const member of claims) if (member !== null) taken.add(member)
  }
  return columns
}

const isAlone = (claims: Columns, member: ColumnMember): boolean =>
  claims.indexOf(member) === claims.lastIndexOf(member)

export const namedTwice = (header: readonly string[], columns: Columns): ColumnMember[] => {
  const named = header.map(memberNamed)
  return COLUMN_MEMBERS.filter((member) => !columns.includes(member) && !isAlone(named, member))
}
