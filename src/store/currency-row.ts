import { sql } from 'drizzle-orm'
import type { Currency } from '~/domain/currency.ts'
import { pegFault } from '~/domain/price/peg.ts'
import type { Tx } from './database.ts'
import { currencies } from './schema.ts'

/** A catalogue that cannot be applied: `faults` are sentences that name the invalid currencies. */
export class CatalogueFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '))
  }
}

export function currencyOf(row: typeof currencies.$inferSelect): Currency {
  const { pegTo, pegRate, ...currency } = row
  const isPegged = pegTo !== null && pegRate !== null
  return { ...currency, peg: isPegged ? { to: pegTo, rate: Number(pegRate) } : null }
}

export const currencyRow = ({ peg, ...currency }: Currency): typeof currencies.$inferInsert => ({
  ...currency,
  pegTo: peg?.to ?? null,
  pegRate: peg ? String(peg.rate) : null,
})

/**
 * Checks every peg among the currencies as this transaction sees them, and keeps others from
 * changing them until it ends. Throws CatalogueFault.
 */
export async function assertPegs(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${LOCK_NAME}))`)
  const all = (await tx.select().from(currencies)).map(currencyOf)
  const byCode = new Map(all.map((currency) => [currency.code, currency]))
  const faults = all.flatMap((currency) => {
    const fault = pegFault(currency, (code) => byCode.get(code))
    return fault ? `currency ${currency.code} ${fault}` : []
  })
  if (faults.length > 0) throw new CatalogueFault(faults)
}

const LOCK_NAME = 'catalogue pegs'
