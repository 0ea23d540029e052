import { afterEach, expect, test } from 'bun:test'
import { monthWriter } from '~/runtime/file/month-writer.ts'

const { Worker } = globalThis
afterEach(() => {
  globalThis.Worker = Worker
})

test('a thread that ends without a word fails its file', async () => {
  globalThis.Worker = class extends Worker {
    constructor() {
      super('data:text/javascript,self.onmessage = () => process.exit(0)')
    }
  }
  const none = async function* () {}
  await expect(monthWriter({})(none(), async () => {})).rejects.toThrow('the thread has ended')
})
