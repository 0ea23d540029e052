import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '~/domain/duration.ts'

/** The longest delivery time that can be stated. */
export const DELIVERY_DAYS_MAX = 366

const ISO_8601 =
  /^P(?=\d|T\d)(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/**
 * The milliseconds of an ISO 8601 duration of days, hours, minutes and seconds, such as `PT0S`,
 * `PT1H` or `P2D`.
 *
 * Null for any other string, and for more than `DELIVERY_DAYS_MAX`. Years and months are not
 * accepted, as they have no fixed length.
 */
export function deliveryMsOf(text: string): number | null {
  const match = ISO_8601.exec(text)
  if (!match) return null
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = match
  const dayMs = Number(days) * DAY_MS
  const ms = dayMs + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1000
  return ms <= DELIVERY_DAYS_MAX * DAY_MS ? ms : null
}

/** A duration of whole seconds as ISO 8601 has it, days first: 36 hours are `P1DT12H`. */
export function deliveryText(ms: number): string {
  const parts: [name: string, unitMs: number][] = [
    ['H', HOUR_MS],
    ['M', MINUTE_MS],
    ['S', SECOND_MS],
  ]
  const days = Math.floor(ms / DAY_MS)
  let rest = ms - days * DAY_MS
  let time = ''
  for (const [name, unitMs] of parts) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) time += `${count}${name}`
  }
  if (days === 0 && time === '') return 'PT0S'
  return `P${days > 0 ? `${days}D` : ''}${time && `T${time}`}`
}
