import { describe, expect, test } from 'bun:test'
import type { Alert } from '~/domain/alert/alert.ts'
import { firedBody } from '~/wire/alert/delivery.ts'
import { WISH } from '../../service/alert/alert-world.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

const alert: Alert = {
  ...WISH,
  targetCountry: 'KE',
  id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  accountId: 'a',
  createdMs: NOW_MS,
  status: 'active',
  reason: null,
  revision: 0,
  standing: { isTrue: false, base: null },
  evaluatedPosition: 1,
  lastValue: 129,
  firedMs: null,
}

describe('firedBody', () => {
  test('names the alert that fired, the value, and the value before', () => {
    const firing = {
      alert,
      value: 131,
      previous: 129,
      atMs: NOW_MS,
      tier: 'hourly',
    } as const
    expect(JSON.parse(firedBody(firing))).toEqual({
      type: 'alert.fired',
      timestamp: '2026-03-05T14:25:30.500Z',
      data: {
        alert: {
          id: alert.id,
          name: null,
          amount: null,
          when: { field: 'best', op: 'above', value: 130, period: null },
        },
        corridor: 'USD/KES',
        source_country: null,
        target_country: 'KE',
        field: 'best',
        value: 131,
        previous: 129,
        as_of: '2026-03-05T14:25:30.500Z',
        data_freshness: 'hourly',
      },
    })
  })
})
