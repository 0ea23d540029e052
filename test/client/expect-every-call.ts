import { expect } from 'bun:test'
import type { PackedClient } from './packed-client.ts'

/** Output of the program other than the values of operations. */
const OTHERS = ['error', 'getHistoryPages']

/** Expects that a runtime calls every operation of the document, and gets a value from each. */
export async function expectEveryCall(client: PackedClient, runtime: string): Promise<void> {
  const { values, asked } = await client.called(runtime)
  expect(Object.entries(values).filter(([, value]) => value === undefined)).toEqual([])
  expect(values).toMatchObject({ recordRates: 1, listCountries: 'AD', fetchOne: 'retail-a' })
  const offered = await client.offered()
  const called = Object.keys(values).filter((id) => !OTHERS.includes(id))
  expect(called.sort()).toEqual(offered.ids)
  expect(asked).toEqual(offered.asked)
}
