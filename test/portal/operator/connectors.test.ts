import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { type Member, PeopleWorld } from '../people-world.ts'
import { rowsOf, textOf } from '../portal-world.ts'

setDefaultTimeout(TEST_MS_MAX)

let world: PeopleWorld
let operator: Member
let partner: Bun.Server<undefined>

beforeAll(async () => {
  partner = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('{"quotes": <b>'),
  })
  const folder = await scratchFolder()
  await writeFile(
    join(folder, 'acme.yaml'),
    `name: acme
provider: acme
from: { url: "${partner.url}" }
format: json
row: { rate: rate }
schedule: "* * * * *"
terms: ours
`,
  )
  world = await PeopleWorld.start({ CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1' })
  operator = await world.admin()
})
afterAll(async () => {
  await world.stop()
  await partner.stop(true)
})

test('a service runs due connectors at its start, and shows an operator the outcome', async () => {
  const page = async () => (await operator.visitor.get('/operator')).html
  await until('the run', async () => textOf(await page()).includes('did not return complete JSON'))
  const html = await page()
  const row = rowsOf(html).find(([name]) => name === 'acme')!
  expect(row.slice(1, 3)).toEqual(['failing', 'never'])
  expect(row[4]).toContain('{"quotes": <b>')
  expect(textOf(html)).toContain('Failing: acme.')
})

test('the public status has names and times alone, and metrics the state', async () => {
  const { connectors } = await (await fetch(`${world.origin}/api/v1/status`)).json()
  expect(connectors).toEqual([
    { name: 'acme', last_run: expect.any(String), last_success: null, is_failing: true },
  ])
  const metrics = await (await fetch(`${world.origin}/metrics`)).text()
  expect(metrics).toContain('\ncorridor_connector_failing{connector="acme"} 1\n')
  expect(metrics).toContain('\ncorridor_connector_rows_refused{connector="acme"} 0\n')
})
