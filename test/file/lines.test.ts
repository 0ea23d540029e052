import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LINE_LENGTH_MAX, linesOf } from '~/file/lines.ts'
import { byteChunks, gathered } from '../support/byte-chunks.ts'

const linesIn = (text: string | Uint8Array, size?: number) =>
  gathered(linesOf(byteChunks(text, size)))

const textsIn = async (text: string, size?: number) =>
  (await linesIn(text, size)).map((line) => line.text)

describe('linesOf', () => {
  test('numbers lines from 1 and needs no line feed at the end', async () => {
    const expected = [
      { number: 1, text: 'a', fault: null },
      { number: 2, text: '', fault: null },
      { number: 3, text: 'b', fault: null },
    ]
    expect(await linesIn('a\n\nb')).toEqual(expected)
    expect(await linesIn('a\n\nb\n')).toEqual(expected)
    expect(await linesIn('')).toEqual([])
  })

  test('drops a byte order mark at the start and nowhere else', async () => {
    expect(await textsIn('\uFEFFa\n\uFEFFb')).toEqual(['a', '\uFEFFb'])
  })

  test('finds the same lines however the bytes are cut', async () => {
    const line = fc.string({
      unit: fc.constantFrom('a', ',', '"', '\r', 'é', '€', '😀'),
      maxLength: 9,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
        const text = lines.map((part) => `${part}\n`).join('')
        expect(await textsIn(text, size)).toEqual(lines)
      }),
    )
  })

  test('accepts a line of the greatest length and reports a longer one, wherever it is cut', async () => {
    const text = `a\n${'x'.repeat(LINE_LENGTH_MAX)}\n${'y'.repeat(LINE_LENGTH_MAX + 1)}\nb\n`
    for (const size of [1000, LINE_LENGTH_MAX, 10 * LINE_LENGTH_MAX]) {
      const lines = await linesIn(text, size)
      expect(lines.map(({ text }) => text.length)).toEqual([1, LINE_LENGTH_MAX, 0, 1])
      expect(lines.map(({ fault }) => fault !== null)).toEqual([false, false, true, false])
      expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4])
    }
  })

  test('reports a last line that is too long and never ends', async () => {
    const lines = await linesIn('z'.repeat(5 * LINE_LENGTH_MAX), LINE_LENGTH_MAX)
    expect(lines).toEqual([{ number: 1, text: '', fault: 'is longer than 65536 characters' }])
  })

  test('reports a line that is not UTF-8, and no other', async () => {
    const bytes = Buffer.concat([Buffer.from('São\n'), Buffer.from([0x53, 0xe3, 0x6f, 0x0a, 0x62])])
    for (const size of [1, 100]) {
      const faults = (await linesIn(bytes, size)).map(({ fault }) => fault)
      expect(faults).toEqual([null, 'is not UTF-8 text', null])
    }
  })
})
