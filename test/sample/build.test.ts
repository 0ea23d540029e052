import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import manifest from '~generated/sample/manifest.json'
import { builtSample } from '../../tools/sample/build.ts'
import { countryOf, currencyOf, regionOf } from '../../tools/sample/countries.ts'
import { keptRows } from '../../tools/sample/left-out.ts'
import { Mids } from '../../tools/sample/mids.ts'
import { observationLines } from '../../tools/sample/observations.ts'
import { type OfficialPrice, officialPrices } from '../../tools/sample/official.ts'
import { providerIdOf, providersOf } from '../../tools/sample/providers.ts'
import { BANK_NAMES } from '../../tools/sample/recordings.ts'
import { referenceLines } from '../../tools/sample/references.ts'
import { plainCsvLine, type QuarterRow, type SurveyRow } from '../../tools/sample/rows.ts'
import { surveyDays, surveyPrices } from '../../tools/sample/survey.ts'

const HOME = resolve(import.meta.dir, '../../generated/sample')
const INPUT = resolve(import.meta.dir, '../../../shared/data')
const EMPTY = { survey: [], quarters: [], mids: [] }

const quarter = (row: Partial<QuarterRow> = {}): QuarterRow => ({
  provider_name: 'Wise',
  provider_type: 'fintech_psp',
  from: 'KES',
  to: 'UGX',
  rate: '27.10',
  fee: '3.75',
  fee_currency: 'KES',
  date: '2025-08-20',
  delivery: 'Next day',
  send_amount: '18000',
  payment: 'Bank account transfer',
  pickup: 'Bank account',
  rate_derived: 'false',
  ...row,
})

const official: OfficialPrice = {
  bank: 'cbk',
  from: 'JPY',
  to: 'KES',
  rate: '0.812',
  evidence: 'observed',
  notes: 'central 81.2 KES for 100 JPY, of the bank',
  atMs: Date.parse('2026-03-18T21:00:00Z'),
}

const surveyed = (row: Partial<SurveyRow> = {}): SurveyRow => ({
  source_country: 'GB',
  target_country: 'GH',
  provider: 'Wise',
  instrument: 'Debit card',
  access_point: 'Internet',
  amount_usd: '200',
  fee_pct: '2.49',
  fx_margin_pct: '1.5',
  total_cost_pct: '3.99',
  transparent: 'true',
  ...row,
})

const mid = (date: string, currency: string, per_usd: string) => ({ date, currency, per_usd })
const MIDS = new Mids([
  mid('2026-09-28', 'GBP', '0.5'),
  mid('2026-09-28', 'GHS', '12'),
  mid('2026-09-29', 'GBP', '0.8'),
  mid('2026-09-29', 'GHS', '10'),
  mid('2026-09-29', 'EUR', '0.9'),
  mid('2026-09-29', 'XOF', '591'),
  mid('2026-09-27', 'GBP', '0.1'),
])

describe('builtSample', () => {
  test('the files are those of the manifest, and a rebuild gives the same bytes', async () => {
    for (const [name, { bytes, sha256 }] of Object.entries(manifest.artefacts)) {
      const stored = await Bun.file(resolve(HOME, name)).bytes()
      expect(stored.length, name).toBe(bytes)
      expect(createHash('sha256').update(stored).digest('hex'), name).toBe(sha256)
    }
    if (!existsSync(INPUT)) return
    for (const { name, bytes } of builtSample(INPUT)) {
      const stored = await Bun.file(resolve(HOME, name)).bytes()
      expect(Buffer.compare(stored, bytes), `${name} is stale: bun run sample`).toBe(0)
    }
  })

  test('every source row is in the sample or listed as left out', () => {
    const { inputs, left_out, survey, observations, references } = manifest
    const leftOutOf = (name: string) =>
      left_out.filter(({ file }) => file === name).reduce((sum, { rows }) => sum + rows, 0)
    const kept = (name: keyof typeof inputs) => inputs[name] - leftOutOf(name)
    expect(left_out.length).toBeGreaterThan(0)
    expect(survey.prices).toBe(kept('rpw_2025q3.csv'))
    const names = Object.keys(inputs) as (keyof typeof inputs)[]
    const quoted = names.filter((name) => name !== 'reference_currency_api.csv')
    expect(quoted.filter((name) => name.startsWith('central_banks/'))).toHaveLength(15)
    expect(observations.rows).toBe(quoted.reduce((sum, name) => sum + kept(name), 0))
    expect(references.rows).toBe(kept('reference_currency_api.csv'))
  })

  test('both lists stay under 400 kB each, the whole under one megabyte', () => {
    const { artefacts } = manifest
    expect(artefacts['observations.csv.gz'].bytes).toBeLessThan(400_000)
    expect(artefacts['reference.csv.gz'].bytes).toBeLessThan(400_000)
    const sizes = Object.values(artefacts).map(({ bytes }) => bytes)
    expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThan(1_000_000)
  })
})

describe('surveyPrices', () => {
  test('applies the percentages of the survey to the mid of a day', () => {
    expect(surveyPrices([surveyed()], MIDS)).toEqual([
      {
        provider: 'Wise',
        sourceCountry: 'GB',
        targetCountry: 'GH',
        from: 'GBP',
        to: 'GHS',
        instrument: 'Debit card',
        accessPoint: 'Internet',
        amountUsd: 200,
        amount: 160,
        feePct: 2.49,
        marginPct: 1.5,
        day: '2026-09-29',
        rate: 12.3125,
        fee: 3.984,
        place: 1,
      },
    ])
  })

  test('spreads the providers over the last two days, in turn by id', () => {
    const rows = ['Xoom', 'Ria', 'Wise', 'Ria'].map((provider) => surveyed({ provider }))
    const dated = surveyPrices(rows, MIDS).map(({ provider, day }) => `${provider} ${day}`)
    expect(dated).toEqual([
      'Xoom 2026-09-29',
      'Ria 2026-09-29',
      'Wise 2026-09-28',
      'Ria 2026-09-29',
    ])
    expect(surveyDays(MIDS)).toEqual(['2026-09-29', '2026-09-28'])
  })

  test('prices a pegged currency by its peg, whatever the feed reports', () => {
    const row = surveyed({ source_country: 'FR', target_country: 'SN', fx_margin_pct: '0' })
    expect(surveyPrices([row], MIDS)[0]).toMatchObject({ from: 'EUR', to: 'XOF', rate: 655.957 })
  })

  test('prices every row, those of countries with one currency too', () => {
    const rows = [
      ['CI', 'ML'],
      ['US', 'SO'],
      ['GB', 'ZW'],
    ].map(([source, target]) => surveyed({ source_country: source!, target_country: target! }))
    const pairs = surveyPrices(rows, MIDS).map(({ from, to }) => `${from}/${to}`)
    expect(pairs).toEqual(['XOF/XOF', 'USD/USD', 'GBP/USD'])
  })

  test('counts the prices that differ in the price alone, in the order of the survey', () => {
    const rows = [
      surveyed({ fee_pct: '3' }),
      surveyed({ instrument: 'Cash' }),
      surveyed({ fee_pct: '1' }),
      surveyed({ amount_usd: '500' }),
      surveyed({ target_country: 'GB' }),
    ]
    expect(surveyPrices(rows, MIDS).map(({ place }) => place)).toEqual([1, 1, 2, 1, 1])
  })

  test('refuses a row without a known currency, mid or number', () => {
    const price = (row: Partial<SurveyRow>) => surveyPrices([surveyed(row)], MIDS)
    expect(() => price({ target_country: 'XX' })).toThrow('no currency is known for XX')
    expect(() => price({ target_country: 'NG' })).toThrow('no mid of NGN on 2026-09-29')
    expect(() => price({ fx_margin_pct: '' })).toThrow('no number')
    expect(() => price({ fee_pct: 'free' })).toThrow('no number: free')
  })
})

describe('observationLines', () => {
  const lines = (rows: Partial<Parameters<typeof observationLines>[0]>) =>
    observationLines({ ...EMPTY, official: [], ...rows })

  test('keeps the observed digits', () => {
    expect(lines({ quarters: [quarter()] })).toEqual([
      'wise,KES,UGX,27.10,3.75,KES,2025-08-20T00:00:00Z,send 18000 KES; ' +
        'pay-in: bank account transfer; pay-out: bank account; delivery: next day,observed,,,,,,,',
    ])
  })

  test('gives an official rate the time that the bank states, and no fee', () => {
    expect(lines({ official: [official] })).toEqual([
      'central-bank-of-kenya,JPY,KES,0.812,,,2026-03-18T21:00:00Z,' +
        'central 81.2 KES for 100 JPY; of the bank,observed,,,,,,,',
    ])
  })

  test('puts later rates of a day after earlier ones', () => {
    const later = { ...official, atMs: official.atMs + 1000, rate: '0.9' }
    const rates = lines({ official: [later, official] }).map((line) => line.split(',')[3])
    expect(rates).toEqual(['0.812', '0.9'])
  })

  test('marks a price of the survey as derived, and states its offer', () => {
    const survey = surveyPrices(
      ['1.5', '1.4'].map((fx_margin_pct) => surveyed({ fx_margin_pct })),
      MIDS,
    )
    const notes = (margin: string) =>
      `World Bank survey of 2025 Q3: fee 2.49 % and margin ${margin} % of 200 USD`
    const offer = 'derived,GB,GH,debit_card,internet,160,160'
    expect(lines({ survey })).toEqual([
      `wise,GBP,GHS,12.3125,3.984,GBP,2026-09-29T00:00:00Z,${notes('1.5')},${offer},`,
      `wise,GBP,GHS,12.325,3.984,GBP,2026-09-29T00:00:00Z,${notes('1.4')},${offer},Price 2`,
    ])
  })

  test('stops at an unknown payment method or channel', () => {
    for (const row of [{ instrument: 'Barter' }, { access_point: 'Pigeon' }])
      expect(() => lines({ survey: surveyPrices([surveyed(row)], MIDS) })).toThrow('unknown way')
  })

  test('leaves out quarters whose rate was calculated from the survey', () => {
    expect(lines({ quarters: [quarter({ rate_derived: 'true' })] })).toEqual([])
  })

  test('puts the typical offer of a day last: small amount, then bank or mobile pay-in', () => {
    const quarters = [
      quarter({ fee: '1', send_amount: '120' }),
      quarter({ fee: '2', send_amount: '300' }),
      quarter({ fee: '3', send_amount: '120', payment: 'Cash' }),
      quarter({ fee: '4', send_amount: '120', pickup: 'Cash' }),
      quarter({ fee: '5', send_amount: '120', payment: 'Mobile money' }),
    ]
    const fees = lines({ quarters }).map((line) => line.split(',')[4])
    expect(fees).toEqual(['2', '3', '5', '4', '1'])
  })

  test('keeps the order of the source among equals', () => {
    const quarters = ['2', '1', '3'].map((fee) => quarter({ fee }))
    const fees = lines({ quarters }).map((line) => line.split(',')[4])
    expect(fees).toEqual(['2', '1', '3'])
  })

  test('refuses a payment method that it cannot rank', () => {
    const quarters = [quarter({ payment: 'Barter' })]
    expect(() => lines({ quarters })).toThrow('Barter')
  })
})

describe('referenceLines', () => {
  test('dates each mid to the midnight that starts its day, oldest first', () => {
    const rows = [mid('2026-09-29', 'KES', '129.70'), mid('2026-09-28', 'UGX', '3560')]
    expect(referenceLines(rows)).toEqual([
      '2026-09-28T00:00:00Z,fawazahmed0,UGX,3560',
      '2026-09-29T00:00:00Z,fawazahmed0,KES,129.70',
    ])
  })

  test('refuses two references for one day and currency', () => {
    const row = mid('2026-09-29', 'KES', '129.70')
    expect(() => referenceLines([row, row])).toThrow('two references')
  })
})

describe('keptRows', () => {
  test('leaves out the mids of SSP, and counts them', () => {
    const { rows, leftOut } = keptRows({
      ...EMPTY,
      mids: [mid('2026-09-29', 'SSP', '130'), mid('2026-09-29', 'KES', '129')],
    })
    expect(rows.mids.map(({ currency }) => currency)).toEqual(['KES'])
    const counts = Object.fromEntries(leftOut.map(({ what, rows }) => [what, rows]))
    expect(counts).toEqual({ rate_derived: 0, SSP: 1 })
  })
})

describe('officialPrices', () => {
  const KEPT = resolve(import.meta.dir, '../source')
  const read = (mids: Mids) =>
    officialPrices(KEPT, mids, 'recordings').prices.filter(({ from }) => from === 'USD')
  const newest = (mids: Mids, bank: string) => read(mids).findLast((price) => price.bank === bank)

  test('reads the response of every bank, with its own time and both sides in the notes', () => {
    const none = new Mids([])
    expect(new Set(read(none).map(({ bank }) => bank))).toEqual(new Set(BANK_NAMES))
    expect(newest(none, 'cbe')).toEqual({
      ...{ bank: 'cbe', from: 'USD', to: 'EGP', rate: '53.14005', evidence: 'derived' },
      notes: 'mean of buying 53.0734 and selling 53.2067 EGP for 1 USD',
      atMs: Date.parse('2026-04-08T22:00:00Z'),
    })
  })

  test('leaves out prices that the mids of those days contradict, with the reason', () => {
    const mids = new Mids([mid('2026-05-23', 'TZS', '2600'), mid('2026-05-23', 'ZMW', '18.68')])
    const { leftOut } = officialPrices(KEPT, mids, 'recordings')
    expect(leftOut.filter(({ what }) => what === 'ZMW')).toEqual([
      {
        file: 'central_banks/bota.json',
        what: 'ZMW',
        rows: 1,
        reason: 'not believed: the answer gives ZMW as 95.9 where the mid is 139.186 (2026-05-19)',
      },
    ])
  })
})

describe('providersOf', () => {
  test('describes a provider by its own rows', () => {
    const survey = [surveyed(), surveyed({ source_country: 'FR', instrument: 'Cash' })]
    const quarters = [
      quarter({ rate_derived: 'true', payment: 'Bank account transfer,Cash' }),
      quarter({ rate_derived: 'true', delivery: 'Same day' }),
      quarter({ rate_derived: 'true', delivery: '' }),
    ]
    expect(providersOf({ banks: [], survey, quarters })).toMatchObject([
      {
        id: 'wise',
        provider_type: 'fintech_psp',
        rate_type: 'retail',
        region: 'Europe',
        transfer_time: 'Same day',
        payment_methods: ['bank_transfer', 'cash', 'debit_card'],
      },
    ])
  })

  test('counts the countries of rates that were observed to its region', () => {
    expect(providersOf({ banks: [], survey: [surveyed()], quarters: [quarter()] })).toMatchObject([
      { region: 'Global' },
    ])
  })

  test('enters a central bank as its source does', () => {
    expect(providersOf({ survey: [], quarters: [], banks: ['cbk'] })).toMatchObject([
      {
        id: 'central-bank-of-kenya',
        provider_type: 'central_bank',
        rate_type: 'official',
        region: 'Kenya',
        payment_methods: null,
        website_url: 'https://www.centralbank.go.ke',
      },
    ])
  })

  test('stops at one company with two spellings', () => {
    const survey = ['Wave', 'WAVE '].map((provider) => surveyed({ provider }))
    expect(() => providersOf({ banks: [], quarters: [], survey })).toThrow('two spellings')
  })

  test('stops at a provider with two types, and at one without a type', () => {
    const survey = [surveyed()]
    const quarters = [quarter(), quarter({ provider_type: 'imto' })]
    expect(() => providersOf({ banks: [], survey, quarters })).toThrow('several provider types')
    expect(() => providersOf({ banks: [], quarters: [], survey })).toThrow(
      'Wise has no provider type',
    )
  })
})

describe('providerIdOf', () => {
  test.each([
    ['NMB (National Microfinance Bank)', 'nmb-national-microfinance-bank'],
    ["Caisse D'Epargne", 'caisse-depargne'],
    ['Crédit', 'credit'],
  ])('%s is %s', (name, id) => expect(providerIdOf(name)).toBe(id))
})

describe('regionOf', () => {
  test.each([
    [['KE', 'KE'], 'Kenya'],
    [['KE', 'TZ'], 'East Africa'],
    [['KE', 'GH'], 'Africa'],
    [['FR', 'GB'], 'Europe'],
    [['GM'], 'The Gambia'],
    [['CI'], "Côte d'Ivoire"],
    [['GB', 'ZA'], 'Global'],
  ])('%p is %s', (codes, region) => expect(regionOf(codes)).toBe(region))

  test('stops at an unknown country', () => expect(() => regionOf(['XX'])).toThrow('XX'))
})

describe('currencyOf and countryOf', () => {
  test('agree where a currency has one country', () => {
    expect([currencyOf('KE'), countryOf('KES')]).toEqual(['KES', 'KE'])
  })

  test('a country that is paid in dollars has the dollar', () => {
    expect(['ZW', 'SO', 'LR', 'SS'].map(currencyOf)).toEqual(['USD', 'USD', 'USD', 'USD'])
  })

  test.each(['EUR', 'XOF', 'USD', 'XXX'])('%s is the currency of no one country', (code) =>
    expect(() => countryOf(code)).toThrow('not the currency of one country'),
  )
})

describe('plainCsvLine', () => {
  test.each(['a,b', 'a"b', 'a\nb', 'a\rb'])('refuses %p, which would need quoting', (field) =>
    expect(() => plainCsvLine(['x', field])).toThrow('quoting'),
  )
})
