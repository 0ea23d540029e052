import { existsSync } from 'node:fs'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

/** Headless Chromium comes first: it opens pages with two thirds of the CPU. */
const PATHS = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
]
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

/** Variable by which `bun run test:browser` gives its workers the browser that they share. */
export const CHROMIUM_VARIABLE = 'CORRIDOR_TEST_CHROMIUM'

/** Starts a browser that several processes can use. */
export const chromiumServer = (): Promise<BrowserServer> => chromium.launchServer(options())

/** The shared browser of the run, or one of its own for a single file. */
export function openChromium(): Promise<Browser> {
  const shared = process.env[CHROMIUM_VARIABLE]
  return shared ? chromium.connect(shared) : chromium.launch(options())
}

/** Throws when there is no browser on the machine. */
function options() {
  const executablePath = PATHS.find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('no browser: install chromium, or set CHROMIUM to its path')
  return { executablePath, args: ARGS }
}
