import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import sources from '~/sample/sources.json'

const ROOT = join(import.meta.dir, '../..')
const plain = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase()
const notice = await Bun.file(join(ROOT, 'NOTICE')).text()
const entries = notice.split(/^-{20,}$/m).slice(1)

/** Texts that a licence requires to be included with its subject. */
const TEXT_KEPT: Record<string, RegExp> = {
  MIT: /copyright \(c\) .+ permission is hereby granted, free of charge.+ dealings in the software\./,
}

describe('NOTICE', () => {
  test('has an entry for each source of the sample, and no other', () => {
    const titles = entries.map((entry) => entry.trim().split('\n')[0])
    expect(titles).toEqual(sources.map(({ title, publisher }) => `${title}, ${publisher}`))
  })

  for (const [i, source] of sources.entries())
    test(`names for ${source.title} the owner, the changes and the licence`, () => {
      const entry = plain(entries[i]!)
      for (const part of ['url', 'attribution', 'used_for', 'changes', 'licence_url'] as const)
        expect(entry).toContain(plain(source[part]))
      expect(entry).toMatch(TEXT_KEPT[source.licence] ?? plain(source.licence))
    })
})

describe('LICENSE', () => {
  test('is the one that package.json names', async () => {
    const { license } = await Bun.file(join(ROOT, 'package.json')).json()
    expect(await Bun.file(join(ROOT, 'LICENSE')).text()).toStartWith(`${license} License\n`)
  })
})
