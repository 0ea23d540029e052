import { customType, timestamp } from 'drizzle-orm/pg-core'
import { instantText } from './encoding.ts'

/** A column of millisecond instants as `Date`s, which better-auth needs. */
export const instant = (name: string) => timestamp(name, { precision: 3, withTimezone: true })

/** A column of millisecond instants as numbers, as everywhere else inside the service. */
export const moment = customType<{ data: number; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: Date.parse,
  toDriver: instantText,
})
