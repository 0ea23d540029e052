import { expect, test } from 'bun:test'
import { Checks } from '~/jobs/checks.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { clockAt } from '../support/clock.ts'
import { KeptLog } from '../support/log.ts'

function scene() {
  let isAway = true
  let loads = 0
  const catalogue = {
    async load() {
      if (isAway) throw new Error('the database is away')
      loads++
      return { currencies: CURRENCIES, providers: PROVIDERS }
    },
  }
  const none = async () => []
  const checks = new Checks({
    catalogue,
    quotes: { live: none, withdrawnAmong: none },
    references: { live: none, referencesAt: none },
    memory: new Memory(),
    clock: clockAt('2026-03-05T14:25:30.500Z'),
    log: new KeptLog(),
  })
  return {
    checks,
    loads: () => loads,
    back() {
      isAway = false
    },
  }
}

test('checks of an outage are made up by one load, however many there were', async () => {
  const { checks, loads, back } = scene()
  const some = [{ id: 1, from: 'USD', to: 'KES' }]
  for (const corridors of [null, some, null, some, null]) await checks.add(corridors)
  back()
  let compared = 0
  await checks.compare(async () => void compared++)
  expect([loads(), compared, checks.isEmpty]).toEqual([1, 1, true])
})

test('checks of some corridors are each made up, as none loads all', async () => {
  const { checks, loads, back } = scene()
  await checks.add([{ id: 1, from: 'USD', to: 'KES' }])
  await checks.add([{ id: 2, from: 'USD', to: 'NGN' }])
  back()
  await checks.compare(async () => {})
  expect([loads(), checks.isEmpty]).toEqual([2, true])
})
