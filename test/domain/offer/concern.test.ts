import { describe, expect, test } from 'bun:test'
import { concerns } from '~/domain/offer/concern.ts'
import { PLAIN } from '~/domain/offer/terms.ts'

const asked = (sourceCountry: string | null, targetCountry: string | null) => ({
  sourceCountry,
  targetCountry,
})
const price = (sourceCountry: string | null, targetCountry: string | null) => ({
  quote: { offer: { ...PLAIN, sourceCountry, targetCountry } },
})
const SILENT = { quote: { offer: null } }

describe('concerns', () => {
  test('is true without filters, and when both currencies are used in the countries', () => {
    expect(concerns({ from: 'AED', to: 'AOA' }, asked(null, null), [])).toBe(true)
    expect(concerns({ from: 'TZS', to: 'UGX' }, asked('TZ', 'UG'), [SILENT])).toBe(true)
    expect(concerns({ from: 'TZS', to: 'AOA' }, asked('TZ', null), [SILENT])).toBe(true)
  })

  test('is false for the currency of another country if no offer names the country', () => {
    expect(concerns({ from: 'AED', to: 'AOA' }, asked('TZ', 'UG'), [SILENT])).toBe(false)
    expect(concerns({ from: 'TZS', to: 'AOA' }, asked('TZ', 'UG'), [SILENT])).toBe(false)
  })

  test('is false if only one side fits, and for a country that does not exist', () => {
    expect(concerns({ from: 'AED', to: 'AOA' }, asked('TZ', 'AO'), [SILENT])).toBe(false)
    expect(concerns({ from: 'USD', to: 'UGX' }, asked('TZ', 'UG'), [price('KE', null)])).toBe(false)
    expect(concerns({ from: 'TZS', to: 'UGX' }, asked('TZ', 'XX'), [SILENT])).toBe(false)
  })

  test('is true if an offer names the country: dollars are sent from Tanzania', () => {
    expect(concerns({ from: 'USD', to: 'UGX' }, asked('TZ', 'UG'), [price('TZ', null)])).toBe(true)
    expect(concerns({ from: 'USD', to: 'USD' }, asked('TZ', 'UG'), [price('TZ', 'UG')])).toBe(true)
    expect(concerns({ from: 'USD', to: 'USD' }, asked('TZ', 'UG'), [price('TZ', null)])).toBe(false)
  })
})
