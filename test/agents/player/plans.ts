import type { Slots } from '../question.ts'

/** The first call of both players. */
export type Plan = { readonly tool: string; args(slots: Slots): Record<string, unknown> }

/** Limit for requests that need only the best. */
const FEW = 3

const sides = ({ sender, receiver }: Slots) => ({
  source_country: sender,
  target_country: receiver,
})

const between = ({ from, to }: Slots) => ({ from, to })

const sending = (more: (slots: Slots) => object = () => ({})): Plan => ({
  tool: 'convert',
  args: (slots) => ({ ...sides(slots), amount: slots.amount, ...more(slots) }),
})

const best = sending(() => ({ limit: FEW }))
const byProvider = sending(({ provider }) => ({ providers: [provider] }))
const mids: Plan = { tool: 'fetch_rates', args: ({ from, to }) => ({ from: [from], to: [to] }) }
const quarter: Plan = {
  tool: 'get_history',
  args: (slots) => ({ ...between(slots), interval: 'P1D', period: '90d', limit: 1 }),
}
const day: Plan = {
  tool: 'get_history',
  args: (slots) => ({ ...between(slots), interval: 'P1D', period: '1d', until: slots.date }),
}
const stated: Plan = {
  tool: 'get_official',
  args: ({ from, to, bank, date }) => ({ currency: from, to, providers: [bank], date }),
}

/** The tool for each kind of question, as the tools' own descriptions say; none for some. */
export const PLANS: Readonly<Record<string, Plan>> = {
  'best by what arrives': best,
  'amount for a receipt': {
    tool: 'convert',
    args: (slots) => ({ ...sides(slots), recipient_gets: slots.receipt, limit: FEW }),
  },
  'one provider against another': sending(({ one, other }) => ({ providers: [one, other] })),
  'best by way of paying': sending(({ way }) => ({ pay_in: [way], limit: FEW })),
  'best by speed': sending(({ within }) => ({ delivery_max: within, limit: FEW })),
  'average cost': {
    tool: 'get_costs',
    args: (slots) => ({ ...sides(slots), amount_usd: 200, limit: 1 }),
  },
  'average cost by way of paying': {
    tool: 'get_costs',
    args: (slots) => ({ ...sides(slots), amount_usd: 200, pay_in: [slots.way], limit: 1 }),
  },
  'points between two pairs': {
    tool: 'rank_costs',
    args: ({ one, other, receiver }) => ({
      source_country: [one, other],
      target_country: [receiver],
    }),
  },
  'top N': { tool: 'rank_costs', args: ({ order, count }) => ({ order, limit: count }) },
  'cheapest country to send from': {
    tool: 'rank_costs',
    args: ({ receiver }) => ({ target_country: [receiver], limit: 1 }),
  },
  coverage: {
    tool: 'rank_costs',
    args: ({ sender }) => ({
      ...{ of: 'providers', by: 'pairs', limit: 1 },
      ...(sender !== '' && { source_country: [sender] }),
    }),
  },
  'cheapest provider': {
    tool: 'rank_costs',
    args: ({ least }) => ({ of: 'providers', count_min: least, limit: 1 }),
  },
  'mid of now': mids,
  inverse: mids,
  'age of a price': {
    tool: 'get_rates',
    args: (slots) => ({ ...between(slots), providers: [slots.provider], limit: 1 }),
  },
  'a stale price leads': {
    tool: 'get_rates',
    args: (slots) => ({ ...between(slots), limit: 1 }),
  },
  'official rate of a date': stated,
  'official against mid on its date': stated,
  change: {
    tool: 'get_change',
    args: (slots) => ({ ...between(slots), period: slots.period }),
  },
  'extreme day': quarter,
  'largest daily move': quarter,
  'what it would have brought then': day,
  'amount out of range': best,
  'way of paying unsaid': sending(({ payOut }) => ({ pay_out: [payOut], limit: FEW })),
  'no offers': best,
  'a provider that is not there': byProvider,
  'unknown provider': byProvider,
  'official only': {
    tool: 'convert',
    args: (slots) => ({ ...between(slots), amount: slots.amount, limit: FEW }),
  },
  'ambiguous currency': mids,
  'carried mid': day,
  'before the first record': day,
}
