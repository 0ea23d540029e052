import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES } from '~/portal/words/language.ts'
import { ENGLISH_WORDS } from '../portal/words/english.ts'
import { isTooWide, Scene } from './scene.ts'

setDefaultTimeout(180_000)

const PAIR = '/send/united-kingdom-to-ghana?amount=200'
const PAGES = [
  ...['/?from=GBP&to=KES', PAIR, '/corridors', '/send', '/providers', '/privacy'],
  ...['/sign-up', '/sign-in', '/forgotten', '/embed?source=GB&target=GH&amount=200', '/nothing'],
  ...['/data', '/ranking', '/ranking?of=providers&order=lowest', '/verify'],
]

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene?.stop())

const SHOWN = `(() => {
  const copy = document.body.cloneNode(true)
  for (const other of copy.querySelectorAll('[lang="en"], pre, code, script')) other.remove()
  return [document.title, copy.textContent].join(' ')
})()`

/** Labels, and the words of scripts without their keys, which are English in every language. */
const LABELS = `[...document.querySelectorAll('main *, header *')].flatMap((one) => [
  ...['aria-label', 'data-label', 'alt'].map((name) => one.getAttribute(name) ?? ''),
  ...Object.values(JSON.parse(one.dataset.words ?? '{}')).map((word) => JSON.stringify(word)),
])`

async function englishIn(page: Page): Promise<string | null> {
  const text = (await page.evaluate(SHOWN)) as string
  const labels = (await page.evaluate(LABELS)) as string[]
  const [found] =
    ENGLISH_WORDS.exec([text, ...labels.filter(Boolean)].join(' | ').replace(/\s+/g, ' ')) ?? []
  return found ?? null
}

const WIDTHS = [320, 768, 1280]
const SCHEMES = ['light', 'dark'] as const

/** Every width with light and dark, from narrow to wide: a page that grows redraws its charts. */
const LOOKS = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => ({ width, scheme })))

describe('the pages in every language', () => {
  test.each(LANGUAGES)(
    '%s stands alone, fits and shuts nobody out at every width, light and dark',
    async (language) => {
      const { page, context } = await scene.visit({ isScripted: true })
      for (const [nth, path] of PAGES.entries()) {
        await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
        await page.goto(language === 'en' ? path : `/${language}${path}`)
        expect(await page.locator('html').getAttribute('lang')).toBe(language)
        if (language !== 'en') expect([path, await englishIn(page)]).toEqual([path, null])
        const own = (nth + LANGUAGES.indexOf(language)) % LOOKS.length
        for (const [i, { width, scheme }] of LOOKS.entries()) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme: scheme })
          expect([path, width, await isTooWide(page)]).toEqual([path, width, false])
          const isAsked = path === PAIR || i === own
          if (isAsked) expect([path, width, await scene.faults(page)]).toEqual([path, width, []])
          if (scheme === 'light' && width !== 768 && nth < 3)
            await scene.picture(page, `language-${language}-${width}-${nth}`)
        }
      }
      await context.close()
    },
  )

  test('Arabic is laid out from right to left', async () => {
    const { page, context } = await scene.visit({ width: 320 })
    await page.goto(`/ar${PAIR}`)
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    const left = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x
    expect(await left('.site-header .brand')).toBeGreaterThan(160)
    await context.close()
  })

  test('a choice at the head leads to the same page, without scripts, and is remembered', async () => {
    const { page, context } = await scene.visit({ isScripted: false, width: 320 })
    await page.goto(PAIR)
    await page.locator('.languages summary').click()
    await page.getByRole('button', { name: 'Kiswahili' }).click()
    expect(new URL(page.url()).pathname).toBe('/sw/send/united-kingdom-to-ghana')
    expect(new URL(page.url()).search).toBe('?amount=200')
    await page.goto('/providers')
    expect(await page.locator('html').getAttribute('lang')).toBe('sw')
    await context.close()
  })

  test('the chart reads its values in the language of the page', async () => {
    const { page, context } = await scene.visit()
    await page.goto('/fr/?from=GBP&to=KES')
    await page.locator('.chart-plot canvas').waitFor()
    await page.locator('[data-chart]').focus()
    await page.keyboard.press('Home')
    expect(await page.locator('.chart-reading').textContent()).toMatch(/\s: taux moyen [\d,\s]+/)
    await context.close()
  })
})
