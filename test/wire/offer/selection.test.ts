import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { ProviderQuery } from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'

const selected = (query: string) =>
  readSelection(readQuery(ProviderQuery, `http://localhost/rates/provider?provider=a&${query}`))

const filtersOf = (query: string) => selected(query).filters

function faultOf(query: string): object {
  try {
    selected(query)
  } catch (error) {
    if (error instanceof ServiceError)
      return { code: error.code, error: error.message, ...error.details }
  }
  return {}
}

const WAYS = 'cash, bank_account, debit_card, credit_card, prepaid_card, mobile_money'

describe('readSelection', () => {
  test('reads no filters without parameters', () => {
    expect(selected('')).toBe(UNSELECTED)
    expect(selected('offers=best')).toBe(UNSELECTED)
    expect(selected('pay_way=cash')).toBe(UNSELECTED)
  })

  test('reads countries in any case, with spaces around them', () => {
    expect(filtersOf('source_country=gb&target_country=%20Gh+')).toEqual({
      ...UNSELECTED.filters,
      sourceCountry: 'GB',
      targetCountry: 'GH',
    })
  })

  test('reads lists in any case, with commas or repeated, without duplicates', () => {
    const { payIn, payOut, channel } = filtersOf(
      'pay_in=CASH,%20debit_card&pay_out=mobile_money&pay_out=cash,cash&channel=internet',
    )
    expect([payIn, payOut, channel]).toEqual([
      ['cash', 'debit_card'],
      ['mobile_money', 'cash'],
      ['internet'],
    ])
  })

  test.each([
    ['2h', 2 * HOUR_MS],
    ['3d', 3 * DAY_MS],
    ['90m', 1.5 * HOUR_MS],
    ['366d', 366 * DAY_MS],
    ['PT0S', 0],
    ['PT30S', 30_000],
    ['P1DT12H', 1.5 * DAY_MS],
  ])('reads the longest delivery %s', (text, ms) => {
    expect(filtersOf(`delivery_max=${text}`).deliveryMaxMs).toBe(ms)
  })

  test('reads the request for every offer, and an age', () => {
    expect(selected('offers=all')).toEqual({ ...UNSELECTED, isEvery: true })
    expect(selected('max_age=2h')).toEqual({ ...UNSELECTED, maxAgeMs: 2 * HOUR_MS })
  })

  test.each([
    [
      'source_country',
      'UK',
      '"UK" is not an ISO 3166-1 alpha-2 country code; United Kingdom is GB',
    ],
    ['target_country', 'XX', '"XX" is not an ISO 3166-1 alpha-2 country code, such as GH'],
    ['target_country', 'GHA', '"GHA" is not an ISO 3166-1 alpha-2 country code, such as GH'],
    ['source_country', 'GB,FR', '"GB,FR" is not an ISO 3166-1 alpha-2 country code, such as GH'],
    ['pay_in', 'card', `it must be one or more of ${WAYS}, comma-separated`],
    ['pay_out', 'cash,wallet', `it must be one or more of ${WAYS}, comma-separated`],
    ['pay_out', 'cash,', 'it has an empty item in its list'],
    [
      'channel',
      'web',
      'it must be one or more of internet, agent, bank_branch, mobile_phone, call_center, ' +
        'post_office, comma-separated',
    ],
    ['offers', 'each', 'it must be one of best, all'],
    ['source_country', '', 'it is empty'],
    ['pay_in', '', 'it is empty'],
  ])('describes what is wrong with %s=%s', (name, value, fault) => {
    expect(faultOf(`${name}=${value}`)).toEqual({
      code: 'invalid_parameter',
      error: `${name} cannot be used: ${fault}`,
      parameter: name,
    })
  })

  test.each(['P1Y', '-PT1H', '0d', '367d', 'P1M', 'soon', '1.5h', 'PT'])(
    'describes the format of a delivery for %s',
    (text) => {
      expect(faultOf(`delivery_max=${text}`)).toEqual({
        code: 'invalid_parameter',
        error:
          'delivery_max cannot be used: it must be a time such as 2h or 3d, or an ISO 8601 ' +
          'duration such as PT2H or P3D, at most 366 days',
        parameter: 'delivery_max',
      })
    },
  )

  test('does not repeat a long string, nor its control characters', () => {
    const { error } = faultOf(`source_country=${'A'.repeat(150)}%00%0a`) as { error: string }
    expect(error).toContain(`"${'A'.repeat(40)}" is not an ISO 3166-1`)
  })

  test('reports once that a country appears twice', () => {
    expect(faultOf('source_country=GB&source_country=FR')).toMatchObject({
      code: 'repeated_parameter',
      parameter: 'source_country',
    })
  })
})
