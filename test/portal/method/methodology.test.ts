import { describe, expect, test } from 'bun:test'
import { World } from '../../support/world.ts'
import { HOSTILE_NAME, textOf, visit } from '../portal-world.ts'

const PATH = '/methodology'

/** The text between the head of a version and the list of versions, as a reader sees it. */
const saidBy = (html: string): string =>
  textOf(html.slice(html.indexOf('<section'), html.lastIndexOf('<section'))).trim()

describe('GET /methodology', () => {
  test('explains each number, at an address of its own', async () => {
    const { status, text } = await visit(new World(), PATH)
    expect(status).toBe(200)
    expect(text).toContain('<title>How we calculate · Corridor</title>')
    const parts = ['best', 'arrives', 'costs', 'mid', 'kinds', 'chart', 'sources', 'order']
    for (const id of [...parts, 'sufficiency', 'outliers', 'corrections', 'changes', 'complaints'])
      expect(text.match(new RegExp(`<h2 id="${id}"`, 'g'))).toHaveLength(1)
    expect(textOf(text)).toContain('more than 2 times yours')
    expect(textOf(text)).toContain('A rate more than 10% above the mid of its day')
    expect(textOf(text)).toContain('A rate older than 3 days is too old to compare with')
  })

  test('has the sources and their licences, as text', async () => {
    const credits = [
      { text: HOSTILE_NAME, url: 'https://feed.example/', licence: 'CC0 1.0' },
      { text: 'Surveyed prices', url: null },
    ]
    const { text } = await visit(new World({ portal: { credits } }), PATH)
    const [, sources] = /<h2 id="sources">.*?<ul[^>]*>(.*?)<\/ul>/s.exec(text)!
    expect(textOf(sources!)).toBe(` ${HOSTILE_NAME}. Licence: CC0 1.0 Surveyed prices`)
    expect(sources).toContain('<a href="https://feed.example/">')
  })

  test('is linked from every page', async () => {
    const world = new World()
    for (const path of ['/', '/corridors', '/docs', PATH])
      expect([path, (await visit(world, path)).text.includes(`href="${PATH}"`)]).toEqual([
        path,
        true,
      ])
  })
})

describe('GET /methodology/:version', () => {
  test.each([
    ['1', '2026-11-24', '3c10a9e88a2a186b'],
    ['2', '2026-11-26', 'b911ed037c561420'],
  ])(
    'returns 200 with the text of version %s, which never changes',
    async (version, date, digest) => {
      const { status, text } = await visit(new World(), `${PATH}/${version}`)
      expect(status).toBe(200)
      expect(textOf(text)).toContain(`Version ${version} of ${date}`)
      expect(new Bun.CryptoHasher('sha256').update(saidBy(text)).digest('hex').slice(0, 16)).toBe(
        digest,
      )
    },
  )

  test('returns 200 with a link to the current version if another one applies', async () => {
    const { text } = await visit(new World(), `${PATH}/1`)
    expect(text).toContain(`It no longer applies: see the <a href="${PATH}">current version</a>`)
  })

  test.each(['0', '3', '01', 'x'])('returns 404 for version %s', async (version) => {
    const { status } = await visit(new World(), `${PATH}/${version}`, { accept: 'text/html' })
    expect(status).toBe(404)
  })
})

describe('GET /how-we-reckon', () => {
  test('returns 308 to the methodology, permanently', async () => {
    const { status, headers } = await visit(new World(), '/how-we-reckon')
    expect([status, headers.get('location')]).toEqual([308, PATH])
  })
})
