import type { SampleProvider } from '../sample.ts'
import { regionOf } from './regions.ts'
import type { OfficialRow, SourceRows, SurveyRow } from './rows.ts'

/** Official sites, only where there is no doubt about them. */
const WEBSITES: Readonly<Record<string, string>> = {
  'bank-of-botswana': 'https://www.bankofbotswana.bw',
  'central-bank-of-kenya': 'https://www.centralbank.go.ke',
  'central-bank-of-the-gambia': 'https://www.cbg.gm',
  'first-national-bank-of-south-africa': 'https://www.fnb.co.za',
  'mama-money': 'https://www.mamamoney.co.za',
  moneygram: 'https://www.moneygram.com',
  mukuru: 'https://www.mukuru.com',
  nedbank: 'https://www.nedbank.co.za',
  paysend: 'https://paysend.com',
  remitly: 'https://www.remitly.com',
  'reserve-bank-of-malawi': 'https://www.rbm.mw',
  ria: 'https://www.riamoneytransfer.com',
  sendwave: 'https://www.sendwave.com',
  skrill: 'https://www.skrill.com',
  'standard-bank': 'https://www.standardbank.co.za',
  'taptap-send': 'https://www.taptapsend.com',
  transfergo: 'https://www.transfergo.com',
  'western-union': 'https://www.westernunion.com',
  wise: 'https://wise.com',
  worldremit: 'https://www.worldremit.com',
  xoom: 'https://www.xoom.com',
}

/** The words of the survey for how the sender pays. */
const PAYMENT_METHODS: Readonly<Record<string, string>> = {
  'Bank account transfer': 'bank_transfer',
  Cash: 'cash',
  'Credit card': 'credit_card',
  'Debit card': 'debit_card',
  'Mobile money': 'mobile_money',
}

/** The survey's words for speed, fastest first; a tie between two goes to the faster. */
const SPEEDS = [
  'Less than one hour',
  'Same day',
  'Next day',
  '2 days',
  '3-5 days',
  '6 days or more',
]

/** The id of a provider: its name in lower case ASCII letters and digits, joined by hyphens. */
export function providerIdOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/['’]|\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/**
 * One provider per name, ordered by id.
 *
 * No names are merged: the data spells each company one way. Likenesses stay apart where they price
 * apart: a bank and its resale of another's service ("... via Western Union"), Ecobank's Rapid
 * Transfer and Rapidcash, UBA and UBA Africash, Standard Bank (ZA) and Stanbic Bank (TZ). A name
 * that differs from another only in case, spaces, accents or punctuation stops the build.
 */
export function providersOf(rows: SourceRows): SampleProvider[] {
  const surveyed = [...groupByName(rows.survey)].map(([name, own]) => surveyedProvider(name, own))
  const official = [...groupByName(rows.official)].map(([name, own]) => centralBank(name, own))
  const providers = [...surveyed, ...official]
  const names = new Map<string, string>()
  for (const { name, id } of providers) {
    const folded = id.replaceAll('-', '')
    const other = names.get(folded)
    if (other !== undefined) throw new Error(`one company, two spellings? ${other} and ${name}`)
    names.set(folded, name)
  }
  return providers.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function groupByName<Row extends { provider_name: string }>(rows: readonly Row[]) {
  return Map.groupBy(rows, (row) => row.provider_name)
}

function surveyedProvider(name: string, rows: readonly SurveyRow[]): SampleProvider {
  return provider(name, rows, {
    rate_type: 'retail',
    region: regionOf(rows.map((row) => row.from)),
    transfer_time: usualSpeed(rows.map((row) => row.delivery)),
    payment_methods: paymentMethodsOf(rows),
  })
}

/** A central bank publishes for its own currency, the one that all its pairs share. */
function centralBank(name: string, rows: readonly OfficialRow[]): SampleProvider {
  const own = [rows[0]!.from, rows[0]!.to].filter((code) =>
    rows.every((row) => row.from === code || row.to === code),
  )
  return provider(name, rows, {
    rate_type: 'official',
    region: regionOf(own),
    transfer_time: null,
    payment_methods: null,
  })
}

type Offer = Pick<SampleProvider, 'rate_type' | 'region' | 'transfer_time' | 'payment_methods'>

function provider(
  name: string,
  rows: readonly { provider_type: string }[],
  offer: Offer,
): SampleProvider {
  const types = new Set(rows.map((row) => row.provider_type))
  if (types.size > 1) throw new Error(`${name} has several provider types: ${[...types]}`)
  const id = providerIdOf(name)
  return {
    id,
    name,
    provider_type: rows[0]!.provider_type,
    ...offer,
    logo_url: null,
    website_url: WEBSITES[id] ?? null,
    is_active: true,
  }
}

function usualSpeed(deliveries: readonly string[]): string | null {
  const unknown = deliveries.find((delivery) => delivery !== '' && !SPEEDS.includes(delivery))
  if (unknown !== undefined) throw new Error(`unknown delivery: ${unknown}`)
  const count = (speed: string) => deliveries.filter((delivery) => delivery === speed).length
  const [usual] = SPEEDS.toSorted((a, b) => count(b) - count(a))
  return usual !== undefined && count(usual) > 0 ? usual : null
}

function paymentMethodsOf(rows: readonly SurveyRow[]): string[] {
  const ways = new Set(rows.flatMap((row) => row.payment.split(',')))
  return [...ways]
    .map((way) => {
      const method = PAYMENT_METHODS[way]
      if (method === undefined) throw new Error(`unknown way of paying: ${way}`)
      return method
    })
    .sort()
}
