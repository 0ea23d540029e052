import { beforeEach, describe, expect, test } from 'bun:test'
import type { AlertWish } from '~/domain/alert/alert.ts'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { View } from '~/memory/view.ts'
import {
  type FieldName,
  fieldsOf,
  proposedFields,
  type WrittenAlert,
  writtenAlert,
} from '~/portal/alert/fields.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { viewOf } from '../../support/views.ts'
import { World } from '../../support/world.ts'

let view: View
beforeEach(() => {
  view = viewOf(new World(), 'hourly')
})

const FORM: Partial<Record<FieldName, string>> = {
  ...{ from: 'USD', to: 'Kenya', field: 'best', op: 'above', value: '131.5', tell: 'email' },
}

const sent = (fields: Partial<Record<FieldName, string>>): WrittenAlert => {
  const all = { ...FORM, ...fields }
  return writtenAlert(ENGLISH, view, (name) => all[name] ?? '')
}

const WISH: AlertWish = {
  corridor: { from: 'USD', to: 'KES' },
  sourceCountry: null,
  targetCountry: 'KE',
  amount: null,
  when: { field: 'best', op: 'above', value: 131.5, periodMs: null },
  to: { kind: 'email' },
  name: null,
  isOnce: false,
}

describe('writtenAlert', () => {
  test('reads values in the notations people use', () => {
    expect(sent({}).wish).toEqual(WISH)
    const net = sent({ field: 'best_current_net', amount: '$1,250', value: '150,000 KES' })
    const netWhen = { field: 'best_current_net', op: 'above', value: 150_000, periodMs: null }
    expect(net.wish).toEqual({ ...WISH, amount: 1250, when: netWhen } as AlertWish)
    const read = sent({
      tell: 'webhook',
      url: ' https://x.example/a ',
      once: 'yes',
      name: ' Rent ',
    })
    const to = { kind: 'webhook', url: 'https://x.example/a' } as const
    expect(read.wish).toEqual({ ...WISH, to, isOnce: true, name: 'Rent' })
  })

  test.each([
    ['2', 2],
    ['2.5 %', 2.5],
    ['1,5%', 1.5],
    ['-0.5%', -0.5],
    ['\u22122', -2],
    ['0', 0],
  ])('reads %p percent', (value, percent) => {
    const cost = sent({ field: 'total_pct', amount: '100', op: 'below', value })
    expect(cost.wish?.when.value).toBe(percent)
  })

  test('keeps the countries given, except for the mid, which has none', () => {
    const between = { from: 'us', to: 'Kenya' }
    expect(sent(between).wish).toEqual({ ...WISH, sourceCountry: 'US' })
    expect(sent({ ...between, field: 'mid' }).wish).toMatchObject({
      ...{ sourceCountry: null, targetCountry: null },
    })
    expect(sent({ to: 'KES' }).wish).toEqual({ ...WISH, targetCountry: null })
  })

  test('ignores fields that a choice makes unused', () => {
    const unused = { amount: 'x', since: '7d', age: '24h', url: 'x' }
    expect(sent(unused).wish).toEqual(WISH)
    const stale = sent({ ...unused, field: 'stale', value: 'x', op: 'x' }).wish
    const when = { field: 'stale', op: null, value: null, periodMs: DAY_MS } as const
    expect(stale).toEqual({ ...WISH, when })
  })

  test('measures moves over a period for fields with a past', () => {
    const move = { op: 'moves_pct', value: '2', since: '7d' }
    expect(sent(move).wish?.when.periodMs).toBe(7 * DAY_MS)
    expect(sent({ ...move, since: '' }).wish?.when.periodMs).toBeNull()
    const net = sent({ ...move, field: 'best_current_net', amount: '100' })
    expect(net.wish?.when.periodMs).toBeNull()
  })

  test.each<[FieldName, string, RegExp, Partial<Record<FieldName, string>>?]>([
    ['from', '', /Choose a country or a currency/],
    ['to', 'Narnia', /not a country or currency that we know/],
    ['to', 'USD', /two different currencies/],
    ['field', 'x', /Choose what to watch/],
    ['op', '', /Choose when to notify you/],
    ['value', '', /Write a number/],
    ['value', 'lots', /not an amount we can read/],
    ['value', '130 USD', /is not KES/],
    ['value', '0', /more than zero/],
    ['value', 'x', /not a number we can read/, { op: 'moves_pct' }],
    ['amount', '', /Enter the amount that you send/, { field: 'total_pct' }],
    ['amount', 'ten', /not an amount we can read/, { field: 'total_pct' }],
    ['name', 'x'.repeat(61), /at most 60 characters/],
    ['name', 'a\u202eb', /on one line/],
    ['name', 'a\r\nBcc: b@example.com', /on one line/],
    ['tell', 'x', /Choose how to notify you/],
    ['url', '', /Write the address of your server/, { tell: 'webhook' }],
    ['url', `https://${'x'.repeat(493)}`, /at most 500 characters/, { tell: 'webhook' }],
  ])('describes what is wrong with %s: %p', (name, text, fault, rest = {}) => {
    const { wish, faults } = sent({ ...rest, [name]: text })
    expect(wish).toBeNull()
    expect(Object.keys(faults)).toEqual([name])
    expect(faults[name]).toMatch(fault)
  })

  test('names every error at once', () => {
    const { faults } = writtenAlert(ENGLISH, view, () => '')
    expect(Object.keys(faults).sort()).toEqual(['field', 'from', 'tell', 'to'])
  })
})

describe('proposedFields', () => {
  const proposed = (query: string, isMailed = true) =>
    proposedFields(ENGLISH, { view: view, params: new URLSearchParams(query), isMailed: isMailed })

  test('take the values of a query, and email if it is set up', () => {
    const { texts, places, faults } = proposed('from=USD&to=KES&amount=250')
    expect(texts).toMatchObject({ to: 'KES · The KES', amount: '250', field: 'best_current_net' })
    expect([texts.tell, places.to, faults]).toEqual([
      'email',
      { country: null, currency: 'KES' },
      {},
    ])
    const between = proposed(new URLSearchParams({ from: 'USD', to: 'Kenya · KES' }).toString())
    expect(between.places.to).toMatchObject({ country: { code: 'KE' }, currency: 'KES' })
    expect(proposed('', false).texts).toMatchObject({ from: '', field: 'best', tell: 'webhook' })
  })

  test('are short, whatever the query has', () => {
    expect(proposed(`name=${'x'.repeat(5000)}`).texts.name.length).toBe(600)
  })
})

describe('fieldsOf', () => {
  test.each<AlertWish>([
    WISH,
    { ...WISH, amount: 250.5, when: { ...WISH.when, field: 'best_current_net', value: 32500 } },
    { ...WISH, amount: 1, when: { ...WISH.when, field: 'total_pct', value: -0.25 } },
    { ...WISH, sourceCountry: 'US', targetCountry: null },
    {
      ...{ ...WISH, targetCountry: null },
      when: { field: 'mid', op: 'moves_pct', value: 2, periodMs: 30 * DAY_MS },
    },
    { ...WISH, when: { field: 'stale', op: null, value: null, periodMs: 90 * MINUTE_MS } },
    { ...WISH, to: { kind: 'webhook', url: 'https://x.example/a?b=c' }, isOnce: true, name: 'x' },
  ])('are read as the alert that they show: %j', (wish) => {
    const { texts } = fieldsOf(ENGLISH, view, wish)
    expect(writtenAlert(ENGLISH, view, (name) => texts[name]).wish).toEqual(wish)
  })
})
