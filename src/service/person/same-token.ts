import { timingSafeEqual } from 'node:crypto'

/** Compares a token that was sent with ours, in a time that does not depend on the difference. */
export function isSameToken(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
