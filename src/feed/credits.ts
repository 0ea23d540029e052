import type { FeedName } from './feeds.ts'

/** What each feed asks to be credited with wherever its rates are shown. */
export const FEED_CREDITS: Readonly<Record<FeedName, { text: string; url: string }>> = {
  'open-er-api': {
    text: 'Rates By Exchange Rate API',
    url: 'https://www.exchangerate-api.com',
  },
  openexchangerates: {
    text: 'Exchange rates by Open Exchange Rates',
    url: 'https://openexchangerates.org',
  },
  fastforex: { text: 'Exchange rates by fastFOREX.io', url: 'https://www.fastforex.io' },
  frankfurter: {
    text: 'Euro reference rates of the European Central Bank by way of Frankfurter',
    url: 'https://frankfurter.dev',
  },
  'currency-api': {
    text: 'Reference rates of @fawazahmed0/currency-api',
    url: 'https://github.com/fawazahmed0/exchange-api',
  },
  ecb: {
    text: 'Source: European Central Bank, euro foreign exchange reference rates',
    url: 'https://www.ecb.europa.eu',
  },
}
