import { describe, expect, test } from 'bun:test'
import { Opened } from '~/runtime/opened.ts'

function three(failing?: string) {
  const stopped: string[] = []
  const opened = new Opened()
  for (const name of ['database', 'memory', 'listener'])
    opened.add({
      async stop() {
        if (name === failing) throw new Error(name)
        stopped.push(name)
      },
    })
  return { opened, stopped }
}

describe('Opened', () => {
  test('stops what was opened in reverse, once', async () => {
    const { opened, stopped } = three()
    await opened.stop()
    await opened.stop()
    expect(stopped).toEqual(['listener', 'memory', 'database'])
  })

  test('stop rejects with the failure of a part and goes no further', async () => {
    const { opened, stopped } = three('memory')
    await expect(opened.stop()).rejects.toThrow('memory')
    expect(stopped).toEqual(['listener'])
  })

  test('abandon stops all others where one fails', async () => {
    const { opened, stopped } = three('memory')
    await opened.abandon()
    expect(stopped).toEqual(['listener', 'database'])
  })
})
