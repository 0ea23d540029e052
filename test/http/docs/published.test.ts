import { expect, test } from 'bun:test'
import { published } from '~/http/docs/published.ts'

test('what could not be made is made again at the next request, and then kept', async () => {
  let made = 0
  const handle = published(() => {
    made++
    if (made === 1) throw new Error('away')
    return { bytes: 'text', type: 'text/plain' }
  })
  const ask = async () => handle(new Request('http://localhost/page'))
  await expect(ask()).rejects.toThrow('away')
  expect(await (await ask()).text()).toBe('text')
  expect((await ask()).status).toBe(200)
  expect(made).toBe(2)
})
