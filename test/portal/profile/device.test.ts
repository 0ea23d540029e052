import { expect, test } from 'bun:test'
import { deviceText } from '~/portal/profile/device.ts'
import { ENGLISH } from '~/portal/words/words.ts'

const MOZILLA = 'Mozilla/5.0'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const MAC = '(Macintosh; Intel Mac OS X 10_15_7)'

test.each([
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0 Safari/537.36`,
    'Chrome',
    'Windows',
  ],
  [
    `${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/140.0 Safari/537.36 Edg/140.0`,
    'Edge',
    'Windows',
  ],
  [`${MOZILLA} ${MAC} ${WEBKIT} Version/18.4 Safari/605.1.15`, 'Safari', 'macOS'],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 18_4 like Mac OS X) ${WEBKIT} CriOS/140 Safari/1`,
    'Chrome',
    'iOS',
  ],
  [
    `${MOZILLA} (Linux; Android 15) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Safari/1`,
    'Samsung Internet',
    'Android',
  ],
  [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox', 'Linux'],
])("%s has its owner's name for it", (userAgent, browser, system) => {
  expect(deviceText(ENGLISH, userAgent)).toBe(`${browser} on ${system}`)
})

test.each([
  ['curl/8.5.0', 'A device that does not name itself'],
  ['', 'A device that does not name itself'],
  [null, 'A device that does not name itself'],
  ['Something (Linux)', 'Linux'],
])('%p is named as far as it can be', (userAgent, text) => {
  expect(deviceText(ENGLISH, userAgent)).toBe(text)
})
