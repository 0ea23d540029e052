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
  test('stops the parts in reverse order, once', async () => {
    const { opened, stopped } = three()
    await opened.stop()
    await opened.stop()
    expect(stopped).toEqual(['listener', 'memory', 'database'])
  })

  test('stop rejects with the failure of a part and stops no further ones', async () => {
    const { opened, stopped } = three('memory')
    await expect(opened.stop()).rejects.toThrow('memory')
    expect(stopped).toEqual(['listener'])
  })

  test('abandon stops all other parts if one fails', async () => {
    const { opened, stopped } = three('memory')
    await opened.abandon()
    expect(stopped).toEqual(['listener', 'database'])
  })
})
