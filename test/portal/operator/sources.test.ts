import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Replay, startReplay } from '../../source/replay.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { type Member, PeopleWorld } from '../people-world.ts'
import { rowsOf, textOf } from '../portal-world.ts'

setDefaultTimeout(TEST_MS_MAX)

let replay: Replay
let world: PeopleWorld
let operator: Member

beforeAll(async () => {
  replay = await startReplay()
  replay.answer = ({ host }) =>
    host === 'www.cbn.gov.ng' ? new Response('no', { status: 403 }) : null
  world = await PeopleWorld.start({ QUOTE_SOURCES: 'cbk,cbn', QUOTE_SOURCES_VIA: replay.via })
  operator = await world.admin()
})
afterAll(async () => {
  await world.stop()
  replay.stop()
})

const page = async () => (await operator.visitor.get('/operator')).html

test('a service fetches its banks after its start, and shows an operator the outcome', async () => {
  await until('both banks', async () => {
    const text = textOf(await page())
    return text.includes('returned 403') && text.includes('days missed')
  })
  const html = await page()
  const [kenya, nigeria] = ['cbk', 'cbn'].map((id) => rowsOf(html).find(([name]) => name === id)!)
  expect(kenya![1]).toMatch(/^works, \d+ days missed$/)
  expect([nigeria![1], nigeria![2], nigeria![3]]).toEqual(['failing', 'none', 'never'])
  expect(nigeria![4]).toEndWith('returned 403')
  expect(textOf(html)).toContain(
    'Banks that fail, are late or state what is not believed: cbk, cbn.',
  )
})

test('metrics report the same', async () => {
  const metrics = await (await fetch(`${world.origin}/metrics`)).text()
  expect(metrics).toContain('\ncorridor_source_failing{source="cbk"} 0\n')
  expect(metrics).toContain('\ncorridor_source_failing{source="cbn"} 1\n')
  expect(metrics).toMatch(/\ncorridor_source_missed_days\{source="cbk"\} \d+\n/)
  expect(metrics).toContain('\ncorridor_source_values_refused{source="cbk"} 0\n')
  expect(metrics).toContain('\ncorridor_source_runs_total{source="cbn",outcome="failure"} 1\n')
})
