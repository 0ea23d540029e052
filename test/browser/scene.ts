import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, Download, Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { openChromium } from './chromium.ts'
import { DemoServer } from './demo-server.ts'

const { SCREENSHOTS } = process.env
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
/** Leaves out rules that report nothing serious: axe gives each violation the impact of its rule. */
const AXE_RUN = `axe.run(document, {
  resultTypes: ['violations'],
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
      .map(({ id }) => [id, { enabled: false }]),
  ),
})`

/** Time that a page may take on a busy machine. */
const WAIT_MS_MAX = 120_000
/** Waits for a frame: scripts that follow the colour scheme apply it a frame later. */
const TRANSITIONS_ENDED = `
  new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  .then(() => {})`

export type Look = {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
  readonly isScripted?: boolean
  /** Address at which the service is opened, if not its own. */
  readonly origin?: string
}

/** A page with its requests and its errors. */
export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  readonly asked: string[]
  readonly complaints: string[]
}

/** Accessibility error of a page. */
export type Fault = { readonly id: string; readonly impact: string; readonly targets: string[] }

/** The demonstration, as a person starts it, and a browser to visit it with. */
export class Scene {
  private constructor(
    readonly demo: DemoServer,
    private readonly browser: Browser,
  ) {}

  /** A scene of its own, with these settings. */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<Scene> {
    return new Scene(await DemoServer.start(env), await openChromium())
  }

  /** A scene with the demonstration of other files, for a file that changes only its own accounts. */
  static async shared(): Promise<Scene> {
    return new Scene(await DemoServer.shared(), await openChromium())
  }

  /** Waits for a page with a chart: one that takes long is left out, as the first is under load. */
  drawsCharts(): Promise<void> {
    return until('a page with its chart', async () => {
      const page = await fetch(`${this.demo.origin}/?from=GBP&to=KES`)
      return (await page.text()).includes('data-chart=')
    })
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.demo.stop()
  }

  /** A new visitor, who has nothing in any cache and no cookie. */
  async visit(look: Look = {}): Promise<Visit> {
    const { width = 1280, scheme = 'light', isScripted = true } = look
    const context = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      javaScriptEnabled: isScripted,
      baseURL: look.origin ?? this.demo.origin,
    })
    context.setDefaultTimeout(WAIT_MS_MAX)
    const page = await context.newPage()
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    return { page, context, asked, complaints }
  }

  /** Returns the errors of the page that axe-core calls serious or critical. */
  async faults(page: Page): Promise<Fault[]> {
    if (await page.evaluate('!globalThis.axe')) await loadAxe(page)
    const { violations } = (await page.evaluate(AXE_RUN)) as {
      violations: { id: string; impact: string; nodes: { target: string[] }[] }[]
    }
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({ id, impact, targets: nodes.flatMap((n) => n.target) }))
  }

  /**
   * Returns what is wrong with an open page at any of these widths, in light and dark: sideways
   * scrolling, or errors. The page ends up in light, at the last width.
   */
  async unfit(page: Page, name: string, widths: readonly number[]): Promise<readonly unknown[]> {
    const wrong: unknown[] = []
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      if (await isTooWide(page)) wrong.push([name, width, 'too wide'])
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate(TRANSITIONS_ENDED)
        for (const fault of await this.faults(page)) wrong.push([name, width, colorScheme, fault])
        await this.picture(page, `${name}-${colorScheme}-${width}`)
      }
    }
    return wrong
  }

  /** Saves a picture of the whole page in the folder `SCREENSHOTS`, if that is set. */
  async picture(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
    if (!SCREENSHOTS) return
    await mkdir(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage })
  }
}

/** Loads axe-core by the debugger, which parses it once; `evaluate` parses it three times. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: await Bun.file(AXE).text() })
  await session.detach()
}

/** Reports whether the page is wider than the window, so that it scrolls sideways. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth') as Promise<boolean>

/** The bytes of a download, whichever process runs the browser. */
export const downloaded = async (download: Download): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(await download.createReadStream()))

export const foreignRequests = (asked: readonly string[], origin: string): string[] =>
  asked.filter((url) => !url.startsWith('data:') && !url.startsWith(`${origin}/`))
