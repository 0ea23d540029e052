import type { SampleProvider } from '~/sample/sample.ts'
import { BANKS } from '~/source/banks.ts'
import { countryOf, regionOf } from './countries.ts'
import { isObserved } from './left-out.ts'
import { typeReadOf, WEBSITES } from './provider-facts.ts'
import type { BankName } from './recordings.ts'
import type { QuarterRow, SourceRows, SurveyRow } from './rows.ts'

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

/** Sources of quotes: the lists of the survey, and the banks that were read. */
type Quoting = Pick<SourceRows, 'survey' | 'quarters'> & { readonly banks: readonly BankName[] }

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
 * One provider per name of the survey and of the central banks, ordered by id.
 *
 * No names are merged: the data spells each company one way. Likenesses stay apart where they price
 * apart: a bank and its resale of another's service ("... via Western Union"), Ecobank's Rapid
 * Transfer and Rapidcash, UBA and UBA Africash, Standard Bank (ZA) and Stanbic Bank (TZ). A name
 * that differs from another only in case, spaces, accents or punctuation stops the build.
 */
export function providersOf({ survey, quarters, banks }: Quoting): SampleProvider[] {
  const quartersOf = Map.groupBy(quarters, (row) => row.provider_name)
  const surveyed = [...Map.groupBy(survey, (row) => row.provider)].map(([name, rows]) =>
    surveyedProvider(name, rows, quartersOf.get(name) ?? []),
  )
  const providers = [...surveyed, ...banks.map(centralBank)]
  const names = new Map<string, string>()
  for (const { name, id } of providers) {
    const folded = id.replaceAll('-', '')
    const other = names.get(folded)
    if (other !== undefined) throw new Error(`one company, two spellings? ${other} and ${name}`)
    names.set(folded, name)
  }
  return providers.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The survey says where it sends from and how it is paid; the quarters its type and its speed. */
function surveyedProvider(
  name: string,
  rows: readonly SurveyRow[],
  quarters: readonly QuarterRow[],
): SampleProvider {
  const read = typeReadOf(providerIdOf(name))
  const types = quarters.map((row) => row.provider_type)
  const ways = quarters.flatMap((row) => row.payment.split(','))
  return provider(name, read === null ? types : [read, ...types], {
    rate_type: 'retail',
    region: regionOf([
      ...rows.map((row) => row.source_country),
      ...quarters.filter(isObserved).map((row) => countryOf(row.from)),
    ]),
    transfer_time: usualSpeed(quarters.map((row) => row.delivery)),
    payment_methods: paymentMethodsOf([...rows.map((row) => row.instrument), ...ways]),
  })
}

/** A central bank as its source enters it in a catalogue. */
function centralBank(bank: BankName): SampleProvider {
  const { provider, timeZone } = BANKS[bank]
  const { id, name, region, websiteUrl } = provider
  return {
    id,
    name,
    provider_type: 'central_bank',
    rate_type: 'official',
    region,
    time_zone: timeZone,
    transfer_time: null,
    payment_methods: null,
    logo_url: null,
    website_url: websiteUrl,
    is_active: true,
  }
}

type Offer = Pick<SampleProvider, 'rate_type' | 'region' | 'transfer_time' | 'payment_methods'>

function provider(name: string, types: readonly string[], offer: Offer): SampleProvider {
  const [type, ...others] = new Set(types)
  if (type === undefined) throw new Error(`${name} has no provider type`)
  if (others.length > 0) throw new Error(`${name} has several provider types: ${types}`)
  const id = providerIdOf(name)
  return {
    id,
    name,
    provider_type: type,
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

function paymentMethodsOf(ways: readonly string[]): string[] {
  const methods = [...new Set(ways)].map((way) => {
    const method = PAYMENT_METHODS[way]
    if (method === undefined) throw new Error(`unknown way of paying: ${way}`)
    return method
  })
  return methods.sort()
}
