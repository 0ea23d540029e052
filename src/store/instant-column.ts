import { timestamp } from 'drizzle-orm/pg-core'

/** A column of millisecond instants, as everywhere inside the service. */
export const instant = (name: string) => timestamp(name, { precision: 3, withTimezone: true })
