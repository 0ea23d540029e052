import type { Words } from '~/portal/words/words.ts'

/** A program that reads mids through an API of another service, and what is entered there. */
export type Program = {
  readonly id: string
  readonly name: (words: Words) => string
  readonly where: (words: Words) => string
  /** Returns the string to enter, for an address such as `https://rates.example/compat/crr_...`. */
  text(base: string): string
}

export const PROGRAMS: readonly Program[] = [
  {
    id: 'sheet',
    name: ({ say }) => say('program.sheet'),
    where: ({ say }) => say('program-where.sheet'),
    text: (base) =>
      `=IMPORTDATA("${base}/plain/rate/USD/KES.txt")\n` +
      `=NUMBERVALUE(WEBSERVICE("${base}/plain/rate/USD/KES.txt"); ".")`,
  },
  {
    id: 'erpnext',
    name: () => 'ERPNext',
    where: ({ say }) =>
      say('program-where.erpnext', {
        menu: 'Currency Exchange Settings',
        keys: 'rates, {to_currency}',
      }),
    text: (base) =>
      `${base}/frankfurter/v1/{transaction_date}?base={from_currency}&symbols={to_currency}`,
  },
  {
    id: 'firefly',
    name: () => 'Firefly III',
    where: ({ say }) =>
      say('program-where.firefly', {
        file: 'config/cer.php',
        setting: 'ENABLE_EXTERNAL_RATES=true',
      }),
    text: (base) => `${base}/firefly`,
  },
  {
    id: 'frankfurter',
    name: ({ say }) => say('program.frankfurter'),
    where: ({ say }) => say('program-where.frankfurter'),
    text: (base) => `${base}/frankfurter`,
  },
  {
    id: 'openexchangerates',
    name: ({ say }) => say('program.openexchangerates'),
    where: ({ say }) => say('program-where.app-id'),
    text: (base) => `${base}/openexchangerates/api/`,
  },
  {
    id: 'exchangerate-host',
    name: ({ say }) => say('program.exchangerate-host'),
    where: ({ say }) => say('program-where.access-key'),
    text: (base) => `${base}/exchangerate-host/`,
  },
  {
    id: 'fixer',
    name: ({ say }) => say('program.fixer'),
    where: ({ say }) => say('program-where.access-key'),
    text: (base) => `${base}/fixer/`,
  },
  {
    id: 'currency-api',
    name: ({ say }) => say('program.currency-api'),
    where: ({ say }) =>
      say('program-where.instead', { address: 'https://latest.currency-api.pages.dev' }),
    text: (base) => `${base}/currency-api`,
  },
  {
    id: 'ecb',
    name: ({ say }) => say('program.ecb'),
    where: ({ say }) => say('program-where.instead', { address: 'eurofxref-daily.xml' }),
    text: (base) => `${base}/ecb/eurofxref-daily.xml`,
  },
]

export const programOf = (id: string): Program | undefined => PROGRAMS.find((one) => one.id === id)
