import { expect, test } from 'bun:test'
import { DeliveryFigures } from '~/runtime/alert/deliveries.ts'
import { OTHER, RequestFigures } from '~/telemetry/request-figures.ts'
import { RowFigures } from '~/telemetry/row-figures.ts'

test('counts responses slower than a second, and one of exactly a second is not', () => {
  const figures = new RequestFigures()
  expect(figures.slowerThan(1000)).toEqual({ count: 0, slow: 0 })
  for (const ms of [1, 1000, 1001, 60_000]) figures.of(OTHER).count(200, ms)
  figures.of({ method: 'GET', route: '/rates' }).count(200, 2000)
  expect(figures.slowerThan(1000)).toEqual({ count: 5, slow: 3 })
})

test('sums the rows of all providers by outcome', () => {
  const rows = new RowFigures()
  rows.count('refused', ['a', 'b', 'a'])
  rows.count('recorded', ['b'])
  expect([rows.total('refused'), rows.total('recorded'), rows.total('repeated')]).toEqual([3, 1, 0])
})

test('counts the deliveries that failed or were given up, and how late the first due one is', () => {
  const figures = new DeliveryFigures({ dueSinceMs: 1000, underWay: 0 }, { now: () => 8000 })
  figures.add('webhook', 'done', 1)
  figures.add('webhook', 'failed', 1)
  figures.add('mail', 'given_up', 1)
  expect([figures.failed, figures.lateSeconds]).toEqual([2, 7])
})
