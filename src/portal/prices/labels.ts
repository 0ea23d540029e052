import type { ColumnMember } from '~/file/table/names.ts'

/** Meaning of a column, in words. */
export const MEMBER_LABELS: Readonly<Record<ColumnMember, string>> = {
  provider_id: 'Provider',
  corridor: 'Corridor, such as GBP/KES',
  from: 'From currency',
  to: 'To currency',
  rate: 'Rate',
  fee: 'Fee',
  fee_currency: 'Currency of the fee',
  effective_from: 'Date or time of the price',
  notes: 'Notes',
  amount_min: 'Least amount',
  amount_max: 'Greatest amount',
  source_country: 'Country of the sender',
  target_country: 'Country of the recipient',
  pay_in: 'How it is paid in',
  pay_out: 'How it is paid out',
  channel: 'Channel',
  service: 'Service',
  fee_percent: 'Fee in percent',
  delivery_min: 'Delivery at the earliest',
  delivery_max: 'Delivery at the latest',
  valid_until: 'Valid until',
  evidence: 'Evidence',
  accept_implausible: 'Accept implausible rates',
}
