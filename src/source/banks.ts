import type { Bank } from './bank.ts'

/** Every bank that can be asked, by the name under which it is configured. */
export const BANKS = {} as const satisfies Record<string, Bank>
