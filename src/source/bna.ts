import { bankOf } from './bank.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { namedIn, priceOf, rateOf } from './page/price.ts'

/** Codes that the bank still uses for the money that took their place. */
const RENAMED: Readonly<Record<string, string>> = { STD: 'STN' }

/**
 * The national bank of Angola: 64 currencies in kwanzas.
 *
 * JSON, a span a request: `moeda=ALL` means all currencies, though it is also the code of the lek
 * of Albania. Kwanzas for 1 unit; `M` is the central price, the sides are other series. The dobra
 * of 2018 has its old code; gold, whose unit changes, and withdrawn currencies are left out. The
 * date has no time.
 */
export const bna = bankOf({
  provider: {
    id: 'national-bank-of-angola',
    name: 'National Bank of Angola',
    region: 'Angola',
    websiteUrl: 'https://www.bna.ao',
  },
  currency: 'AOA',
  timeZone: 'Africa/Luanda',
  publishes: { at: '18:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.bna.ao/Conteudos/Mercados/listaTaxasCambioReferencia.aspx',
  terms: 'not stated with the rates',
  reach: 30,
  requests({ first, last }) {
    const url = 'https://www.bna.ao/service/rest/taxas/get/evolucao/taxa/intervalo'
    const query = `datafim=${last}&datainicio=${first}&moeda=ALL&tipocambio=M`
    return [{ url: `${url}?${query}`, format: 'json' }]
  },
  rows: ({ text }) => jsonRows(text, 'genericResponse'),
  when: (row) => memberOf(row, 'data'),
  rate(row) {
    if (memberOf(row, 'tipoCambio') !== 'M') return null
    const code = memberOf(row, 'codigoMoeda')
    return rateOf(namedIn(RENAMED, code) ?? code, { central: priceOf(memberOf(row, 'taxa')) })
  },
})
