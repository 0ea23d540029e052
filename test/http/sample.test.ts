import { describe, expect, test } from 'bun:test'
import type { Plan } from '~/domain/quota.ts'
import type { World } from '../support/world.ts'
import { answerable, METERED } from './questions.ts'

function sampled(): World {
  const world = answerable()
  world.memory.isSample = true
  return world
}

const PLANS: readonly Plan[] = ['free', 'enterprise']
const NEXT_TO_TIME = /"timestamp":"[^"]+","sample":true[,}]/

describe('a service on the sample', () => {
  test.each(METERED.map(({ path }) => path))(
    'is marked as a sample next to the time: %s',
    async (path) => {
      const world = sampled()
      for (const plan of PLANS) {
        const key = world.key(plan)
        for (let time = 0; time < 3; time++) {
          const { status, text, body } = await world.get(path, key)
          expect([status, body.sample, NEXT_TO_TIME.test(text)]).toEqual([200, true, true])
          world.clock.advance(1)
        }
      }
    },
  )

  test.each([
    ...['/rates?from=USD&to=KES', '/convert?from=USD&to=KES&amount=200', '/corridors'],
    ...['/rates/provider?provider=retail-a'],
  ])('is marked as a sample in each row of a file: %s', async (path) => {
    const world = sampled()
    const file = (format: string) =>
      world.get(`${path}${path.includes('?') ? '&' : '?'}format=${format}`, world.key())
    const [head, row] = (await file('csv')).text.split('\r\n')
    const at = head!.split(',').indexOf('sample')
    expect([at > 0, row!.split(',').slice(at - head!.split(',').length)[0]]).toEqual([true, 'true'])
    expect(JSON.parse((await file('ndjson')).text.split('\n')[0]!)).toMatchObject({ sample: true })
  })
})

describe('a service on real prices', () => {
  test.each(METERED.map(({ path }) => path))('is not marked as a sample: %s', async (path) => {
    const world = answerable()
    for (const plan of PLANS)
      expect((await world.get(path, world.key(plan))).text).not.toContain('sample')
  })
})
