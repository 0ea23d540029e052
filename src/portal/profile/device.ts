import type { Words } from '~/portal/words/words.ts'

type Named = readonly (readonly [sign: RegExp, name: string])[]

/** Browsers by what they say of themselves; those that also claim to be another come first. */
const BROWSERS: Named = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: Named = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The device behind a `User-Agent`, as its owner would recognise it. */
export function deviceText({ say }: Words, userAgent: string | null): string {
  const nameIn = (names: Named) => names.find(([sign]) => sign.test(userAgent ?? ''))?.[1]
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)]
  if (browser && system) return say('device.both', { browser, system })
  return browser ?? system ?? say('device.unknown')
}
