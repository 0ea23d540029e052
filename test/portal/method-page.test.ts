import { describe, expect, test } from 'bun:test'
import { World } from '../support/world.ts'
import { HOSTILE_NAME, textOf, visit } from './portal-world.ts'

const PATH = '/how-we-reckon'

describe('GET /how-we-reckon', () => {
  test('200 with what each figure means, at an address of its own', async () => {
    const { status, text } = await visit(new World(), PATH)
    expect(status).toBe(200)
    expect(text).toContain('<title>How we calculate · Corridor</title>')
    for (const id of ['best', 'arrives', 'costs', 'mid', 'kinds', 'chart', 'sources'])
      expect(text.match(new RegExp(`<h2 id="${id}"`, 'g'))).toHaveLength(1)
    expect(textOf(text)).toContain('more than 2 times yours')
    expect(textOf(text)).toContain('A rate more than 10% above the mid of its day')
    expect(textOf(text)).toContain('A rate older than 3 days is too old to compare with')
  })

  test('200 with the sources and their licences, as text', async () => {
    const credits = [
      { text: HOSTILE_NAME, url: 'https://feed.example/', licence: 'CC0 1.0' },
      { text: 'Surveyed prices', url: null },
    ]
    const { text } = await visit(new World({ portal: { credits } }), PATH)
    const [, sources] = /<h2 id="sources">.*?<ul[^>]*>(.*?)<\/ul>/s.exec(text)!
    expect(textOf(sources!)).toBe(` ${HOSTILE_NAME}. Licence: CC0 1.0 Surveyed prices`)
    expect(sources).toContain('<a href="https://feed.example/">')
  })

  test('every page leads to it', async () => {
    const world = new World()
    for (const path of ['/', '/corridors', '/docs', PATH])
      expect([path, (await visit(world, path)).text.includes(`href="${PATH}"`)]).toEqual([
        path,
        true,
      ])
  })
})
