import { describe, expect, test } from 'bun:test'
import { DELIVERY_ERRORS, deliveryErrorKind, REASONS, reasonKind } from '~/domain/alert/reason.ts'

describe('reasonKind', () => {
  test('recognises every reason, whatever follows it, and no other string', () => {
    for (const [kind, reason] of Object.entries(REASONS))
      expect([kind, reasonKind(`${reason}x`)]).toEqual([kind, kind as keyof typeof REASONS])
    for (const other of ['', 'x', 'it was moved']) expect(reasonKind(other)).toBeNull()
  })
})

describe('deliveryErrorKind', () => {
  test('recognises our own errors, and none of a receiver', () => {
    for (const [kind, error] of Object.entries(DELIVERY_ERRORS))
      expect([kind, deliveryErrorKind(error)]).toEqual([kind, kind as 'unsent'])
    for (const other of ['', 'it returned 500', `${DELIVERY_ERRORS.unsent}!`])
      expect(deliveryErrorKind(other)).toBeNull()
  })
})
