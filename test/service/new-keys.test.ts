import { describe, expect, test } from 'bun:test'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { NewKeys } from '~/service/new-keys.ts'
import { clockAt } from '../support/clock.ts'

const key = () => newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))

function world(answer: () => Promise<unknown> = async () => {}) {
  const clock = clockAt('2026-03-05T14:25:30.500Z')
  const asked: string[] = []
  const load = (hash: string) => {
    asked.push(hash)
    return answer()
  }
  return { clock, asked, newKeys: new NewKeys({ load, clock }) }
}

describe('NewKeys.lookUp', () => {
  test('looks a key up by its hash, once, however often it is sent', async () => {
    const { newKeys, asked } = world()
    const text = key()
    const [first, second] = [newKeys.lookUp(text), newKeys.lookUp(text)]
    expect(first).toBeInstanceOf(Promise)
    expect(second).toBe(first)
    await first
    expect(newKeys.lookUp(text)).toBeNull()
    expect(asked).toEqual([keyHashOf(text)])
  })

  test('looks up no malformed key', () => {
    const { newKeys, asked } = world()
    const mistyped = key()
    for (const text of ['', 'x', mistyped.toLowerCase(), `${mistyped}0`])
      expect(newKeys.lookUp(text)).toBeNull()
    expect(asked).toEqual([])
  })

  test('looks up at most twenty unknown keys at first, and then ten a second', async () => {
    const { newKeys, asked, clock } = world()
    for (let i = 0; i < 100; i++) await newKeys.lookUp(key())
    expect(asked).toHaveLength(20)
    clock.advance(1000)
    for (let i = 0; i < 100; i++) await newKeys.lookUp(key())
    expect(asked).toHaveLength(30)
  })

  test('looks up at most four keys at once', async () => {
    const gate = Promise.withResolvers<void>()
    const { newKeys, asked } = world(() => gate.promise)
    const lookUps = Array.from({ length: 10 }, () => newKeys.lookUp(key()))
    expect(asked).toHaveLength(4)
    expect(lookUps.filter((lookUp) => lookUp === null)).toHaveLength(6)
    gate.resolve()
    await Promise.all(lookUps)
    await newKeys.lookUp(key())
    expect(asked).toHaveLength(5)
  })

  test('ends when the database does not respond, and tries again the next time', async () => {
    const { newKeys, asked } = world(() => Promise.reject(new Error('no route to host')))
    const text = key()
    for (let i = 0; i < 3; i++) await newKeys.lookUp(text)
    expect(asked).toHaveLength(3)
  })

  test('waits at most a second for a hanging lookup', async () => {
    const { newKeys } = world(() => new Promise(() => {}))
    const startMs = performance.now()
    await newKeys.lookUp(key())
    expect(performance.now() - startMs).toBeLessThan(3000)
  })
})
