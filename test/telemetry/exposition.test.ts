import { expect, test } from 'bun:test'
import { Exposition } from '~/telemetry/exposition.ts'
import type { Family } from '~/telemetry/families.ts'
import { Timings } from '~/telemetry/timings.ts'

const timings = new Timings([0.5, 1000])
for (const ms of [0.25, 0.5, 900, 5000]) timings.add(ms)

const FAMILIES: readonly Family[] = [
  {
    ...{ name: 'a_total', help: 'Some, by\nkind \\ "so"', type: 'counter' },
    *read() {
      yield [{ kind: 'x', state: 'a "b" \\ c\nd' }, 3]
      yield [{ kind: 'y', state: '' }, 0]
    },
  },
  { ...{ name: 'b', help: 'None', type: 'gauge' }, read: () => [] },
  {
    ...{ name: 'c', help: 'Numbers', type: 'gauge' },
    read: async () => [
      [{ of: 'far' }, Number.POSITIVE_INFINITY],
      [{ of: 'below' }, Number.NEGATIVE_INFINITY],
      [{ of: 'none' }, Number.NaN],
      [{ of: 'tiny' }, 1.5e-7],
      [{ of: 'large' }, 2 ** 53],
    ],
  },
  {
    ...{ name: 'd_seconds', help: 'Times', type: 'histogram' },
    read: () => [[{ to: 'x' }, timings]],
  },
  {
    ...{ name: 'e_seconds', help: 'Times of all', type: 'histogram' },
    read: () => [[{}, new Timings([5])]],
  },
]

test('an exposition writes every metric in the text format', async () => {
  expect(
    await new Exposition(FAMILIES).text(),
  ).toBe(String.raw`# HELP a_total Some, by\nkind \\ "so"
# TYPE a_total counter
a_total{kind="x",state="a \"b\" \\ c\nd"} 3
a_total{kind="y",state=""} 0

# HELP b None
# TYPE b gauge

# HELP c Numbers
# TYPE c gauge
c{of="far"} +Inf
c{of="below"} -Inf
c{of="none"} NaN
c{of="tiny"} 1.5e-7
c{of="large"} 9007199254740992

# HELP d_seconds Times
# TYPE d_seconds histogram
d_seconds_bucket{le="0.0005",to="x"} 2
d_seconds_bucket{le="1",to="x"} 3
d_seconds_bucket{le="+Inf",to="x"} 4
d_seconds_sum{to="x"} 5.90075
d_seconds_count{to="x"} 4

# HELP e_seconds Times of all
# TYPE e_seconds histogram
e_seconds_bucket{le="0.005"} 0
e_seconds_bucket{le="+Inf"} 0
e_seconds_sum 0
e_seconds_count 0
`)
})

test('an exposition reads its metrics each time it is requested', async () => {
  let count = 0
  const read = () => [[{}, ++count]] as const
  const exposition = new Exposition([{ name: 'a', help: 'Some', type: 'counter', read }])
  await exposition.text()
  expect(await exposition.text()).toContain('\na 2\n')
})
