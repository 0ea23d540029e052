import { describe, expect, test } from 'bun:test'
import { merged } from '~/telemetry/merged.ts'
import { Said } from '../support/exposition.ts'

const ONE = `# HELP a_total Some
# TYPE a_total counter
a_total{route="/x",status="200"} 3
a_total{route="/y {odd}",status="200"} 1

# HELP b How much
# TYPE b gauge
b 7
`
const TWO = `# HELP b How much
# TYPE b gauge
b 9

# HELP c_seconds Times
# TYPE c_seconds histogram
c_seconds_bucket{le="+Inf"} 2
c_seconds_sum 0.5
c_seconds_count 2
`

describe('merged', () => {
  test('labels each sample with its process, and describes each metric once', () => {
    const text = merged(
      'worker',
      new Map([
        ['0', ONE],
        ['1', TWO],
      ]),
    )
    expect(text).toBe(`# HELP a_total Some
# TYPE a_total counter
a_total{worker="0",route="/x",status="200"} 3
a_total{worker="0",route="/y {odd}",status="200"} 1

# HELP b How much
# TYPE b gauge
b{worker="0"} 7
b{worker="1"} 9

# HELP c_seconds Times
# TYPE c_seconds histogram
c_seconds_bucket{worker="1",le="+Inf"} 2
c_seconds_sum{worker="1"} 0.5
c_seconds_count{worker="1"} 2
`)
    expect(new Said(text).value('b', { worker: '1' })).toBe(9)
  })

  test('is empty without processes', () => {
    expect(merged('worker', new Map())).toBe('')
  })
})
