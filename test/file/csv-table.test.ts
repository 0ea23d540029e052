import { expect, test } from 'bun:test'
import { csvTable } from '~/file/csv-table.ts'

async function* linesOf(text: string) {
  yield text.split('\n').map((line, i) => ({ number: i + 1, text: line, fault: null }))
}

const faultsOf = async (text: string) => {
  const { records } = await csvTable(linesOf(text), [['from'], ['rate']])
  const faults = []
  for await (const batch of records) faults.push(...batch.map(({ fault }) => fault))
  return faults
}

test('a header determines the separator of fields', async () => {
  expect(await faultsOf('from;to;rate\nUSD;KES;129,5\nUSD;KES')).toEqual([
    null,
    'has 2 fields where the header has 3',
  ])
  expect(await faultsOf('"from"\t"rate"\nUSD\t129,5')).toEqual([null])
  await expect(faultsOf('from;to\nUSD;KES')).rejects.toThrow('lacks rate')
})

test('an error explains how to write a number with commas between its thousands', async () => {
  expect(await faultsOf('from,rate\nUSD,1,284.50\nUSD,2,1\nUSD,1284.50')).toEqual([
    'has 3 fields where the header has 2: 1284.50 has a comma between its thousands',
    'has 3 fields where the header has 2',
    null,
  ])
})

test('a long line of numbers is not searched again from each of them', async () => {
  const numbers = `${'111,'.repeat(16_000)}1`
  const startMs = performance.now()
  expect(await faultsOf(`from,rate\n${numbers}`)).toEqual([
    'has 16001 fields where the header has 2',
  ])
  expect(performance.now() - startMs).toBeLessThan(1000)
})
