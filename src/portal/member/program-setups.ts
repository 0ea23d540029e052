/** A program that reads mids through an API of another service, and what is entered there. */
type Program = {
  readonly id: string
  readonly name: string
  /** Place in the program where it is entered. */
  readonly where: string
  /** Returns the text to enter, for an address such as `https://rates.example/compat/crr_...`. */
  text(base: string): string
}

export const PROGRAMS: readonly Program[] = [
  {
    id: 'sheet',
    name: 'A spreadsheet',
    where: 'In a cell; IMPORTDATA is for Google Sheets, WEBSERVICE for Excel and LibreOffice:',
    text: (base) =>
      `=IMPORTDATA("${base}/plain/rate/USD/KES.txt")\n` +
      `=NUMBERVALUE(WEBSERVICE("${base}/plain/rate/USD/KES.txt"); ".")`,
  },
  {
    id: 'erpnext',
    name: 'ERPNext',
    where:
      'In Currency Exchange Settings: the service provider Custom, this API endpoint, no ' +
      'parameters, and the result keys rates and {to_currency}:',
    text: (base) =>
      `${base}/frankfurter/v1/{transaction_date}?base={from_currency}&symbols={to_currency}`,
  },
  {
    id: 'firefly',
    name: 'Firefly III',
    where: 'As the url in config/cer.php, with ENABLE_EXTERNAL_RATES=true:',
    text: (base) => `${base}/firefly`,
  },
  {
    id: 'frankfurter',
    name: 'A client of Frankfurter',
    where:
      'As the base URL; a client of version 2 takes the same with /v2 where it adds no version:',
    text: (base) => `${base}/frankfurter`,
  },
  {
    id: 'openexchangerates',
    name: 'A client of Open Exchange Rates',
    where: 'As the base URL, with anything as the App ID:',
    text: (base) => `${base}/openexchangerates/api/`,
  },
  {
    id: 'exchangerate-host',
    name: 'A client of exchangerate.host or currencylayer',
    where: 'As the base URL, with anything as the access key:',
    text: (base) => `${base}/exchangerate-host/`,
  },
  {
    id: 'fixer',
    name: 'A client of Fixer or exchangeratesapi.io',
    where: 'As the base URL, with anything as the access key:',
    text: (base) => `${base}/fixer/`,
  },
  {
    id: 'currency-api',
    name: 'A client of currency-api',
    where: 'In place of https://latest.currency-api.pages.dev:',
    text: (base) => `${base}/currency-api`,
  },
  {
    id: 'ecb',
    name: 'A reader of the ECB\u2019s file',
    where: 'In place of the address of eurofxref-daily.xml:',
    text: (base) => `${base}/ecb/eurofxref-daily.xml`,
  },
]

export const programOf = (id: string): Program | undefined => PROGRAMS.find((one) => one.id === id)
