import { type Caveat, type Draw, type Drawn, type Template, UNKNOWABLE } from '../question.ts'
import { countryWord } from '../wording.ts'

/** The amounts of questions, as a factor of one that is surveyed. */
const FACTORS = { near: [0.5, 2], all: [0.1, 50] } as const
/** Two sums this near are the same to a person. */
const EQUAL = 1e-9

export type Pair = {
  readonly sender: string
  readonly receiver: string
  readonly source: string
  readonly target: string
  readonly amounts: readonly number[]
}

/** A pair of countries that has prices of several providers. */
export async function pairOf({ sql, salt }: Draw): Promise<Pair> {
  const [pair] = await sql<Pair[]>`
    SELECT source_country AS sender, target_country AS receiver, source, target, amounts
    FROM truth.pair WHERE providers >= 3
    ORDER BY md5(${salt} || source_country || target_country) LIMIT 1`
  return pair!
}

/** A sum of two digits, between these factors of a surveyed one, evenly by its logarithm. */
export function sumOf(
  { random }: Draw,
  amounts: readonly number[],
  [least, most]: readonly [number, number],
): number {
  const factor = least * (most / least) ** random.unit()
  return Number((random.pick(amounts) * factor).toPrecision(2))
}

type Outcome = {
  readonly name: string
  readonly ratio: number
  readonly value: number
  readonly worth: number
}

/** The right answer for these outcomes, best first: the first and its equals. */
function truthOf(outcomes: readonly Outcome[]) {
  const [best] = outcomes
  if (!best) return UNKNOWABLE
  const equals = outcomes.filter(({ worth }) => Math.abs(worth / best.worth - 1) <= EQUAL)
  const caveats: Caveat[] = best.ratio > 1 ? ['nearest'] : []
  const names = equals.map(({ name }) => name)
  return { isUnknowable: false as const, figure: best.value, names, caveats }
}

type Asked = { readonly way?: string; readonly within?: number; readonly of?: readonly string[] }

async function arriving({ sql }: Draw, pair: Pair, sum: number, asked: Asked = {}) {
  const { way = null, within = null, of = null } = asked
  return sql<Outcome[]>`
    SELECT name, ratio, net AS value, worth
    FROM truth.sending(${pair.sender}, ${pair.receiver}, ${sum}, ${way}, ${within})
    WHERE ${of}::text[] IS NULL OR name = ANY (${of})
    ORDER BY worth DESC, provider`
}

const sidesOf = ({ random }: Draw, pair: Pair) => ({
  sender: countryWord(pair.sender, random),
  receiver: countryWord(pair.receiver, random),
})

/** Draws until a question is answerable. */
async function answerable(draw: Draw, once: (draw: Draw) => Promise<Drawn>): Promise<Drawn> {
  for (let turn = 0; ; turn++) {
    const drawn = await once({ ...draw, salt: `${draw.salt} ${turn}` })
    if (!drawn.truth.isUnknowable) return drawn
  }
}

const best: Template = {
  name: 'best by what arrives',
  isUnknowable: false,
  draw: (draw) =>
    answerable(draw, async (draw) => {
      const pair = await pairOf(draw)
      const slots = { ...sidesOf(draw, pair), amount: sumOf(draw, pair.amounts, FACTORS.near) }
      const { sender, receiver, amount } = slots
      return {
        slots,
        text:
          `I send ${amount} ${pair.source} from ${sender} to ${receiver}. ` +
          'Who gets most there, and how much arrives?',
        truth: truthOf(await arriving(draw, pair, amount)),
      }
    }),
}

const receipt: Template = {
  name: 'amount for a receipt',
  isUnknowable: false,
  draw: (draw) =>
    answerable(draw, async (draw) => {
      const pair = await pairOf(draw)
      const [rate] = await draw.sql<{ rate: number }[]>`
        SELECT rate FROM truth.mid(${pair.source}, ${pair.target}, (SELECT at FROM truth.moment))`
      const sum = sumOf(draw, pair.amounts, FACTORS.near)
      const slots = {
        ...sidesOf(draw, pair),
        receipt: Number((sum * (rate?.rate ?? 1)).toPrecision(2)),
      }
      const { sender, receiver, receipt } = slots
      const outcomes = await draw.sql<Outcome[]>`
        SELECT name, ratio, sent AS value, worth
        FROM truth.receiving(${pair.sender}, ${pair.receiver}, ${receipt})
        ORDER BY worth, provider`
      return {
        slots,
        text:
          `${receipt} ${pair.target} must arrive in ${receiver}. What is ` +
          `the least I have to send from ${sender}, and with whom?`,
        truth: truthOf(outcomes),
      }
    }),
}

const versus: Template = {
  name: 'one provider against another',
  isUnknowable: false,
  draw: (draw) =>
    answerable(draw, async (draw) => {
      const pair = await pairOf(draw)
      const amount = sumOf(draw, pair.amounts, FACTORS.near)
      const outcomes = await arriving(draw, pair, amount)
      const [one, other] = outcomes.toSorted(() => draw.random.unit() - 0.5)
      if (!one || !other) return { slots: {}, text: '', truth: UNKNOWABLE }
      const slots = { ...sidesOf(draw, pair), amount, one: one.name, other: other.name }
      return {
        slots,
        text:
          `For ${amount} ${pair.source} from ${slots.sender} to ${slots.receiver}, ` +
          `is ${one.name} or ${other.name} better, and what arrives with ` +
          'the better one?',
        truth: truthOf(outcomes.filter(({ name }) => [one.name, other.name].includes(name))),
      }
    }),
}

const WAYS = ['cash', 'bank_account', 'debit_card', 'credit_card', 'mobile_money'] as const

const byWay: Template = {
  name: 'best by way of paying',
  isUnknowable: false,
  draw: (draw) =>
    answerable(draw, async (draw) => {
      const pair = await pairOf(draw)
      const way = draw.random.pick(WAYS)
      const amount = sumOf(draw, pair.amounts, FACTORS.near)
      const slots = { ...sidesOf(draw, pair), amount, way }
      return {
        slots,
        text:
          `I pay by ${way.replace('_', ' ')}: who gets most of ${amount} ` +
          `${pair.source} from ${slots.sender} to ${slots.receiver}, and ` +
          'how much arrives?',
        truth: truthOf(await arriving(draw, pair, amount, { way })),
      }
    }),
}

const SPEEDS = [
  { hours: 1, within: '1h', words: 'an hour' },
  { hours: 24, within: '24h', words: 'a day' },
  { hours: 120, within: '5d', words: 'five days' },
] as const

const bySpeed: Template = {
  name: 'best by speed',
  isUnknowable: false,
  draw: (draw) =>
    answerable(draw, async (draw) => {
      const pair = await pairOf(draw)
      const { hours, within, words } = draw.random.pick(SPEEDS)
      const amount = sumOf(draw, pair.amounts, FACTORS.near)
      const slots = { ...sidesOf(draw, pair), amount, within }
      return {
        slots,
        text:
          `It has to arrive within ${words}: who gets most of ${amount} ${pair.source} ` +
          `from ${slots.sender} to ${slots.receiver}, and how much arrives?`,
        truth: truthOf(await arriving(draw, pair, amount, { within: hours })),
      }
    }),
}

const outOfRange: Template = {
  name: 'amount out of range',
  isUnknowable: true,
  async draw(draw) {
    for (let turn = 0; ; turn++) {
      const again = { ...draw, salt: `${draw.salt} ${turn}` }
      const pair = await pairOf(again)
      const amount = sumOf(again, pair.amounts, FACTORS.all)
      if ((await arriving(again, pair, amount)).length > 0) continue
      const slots = { ...sidesOf(again, pair), amount }
      return {
        slots,
        text:
          `I send ${amount} ${pair.source} from ${slots.sender} to ${slots.receiver}. ` +
          'Who gets most there, and how much arrives?',
        truth: UNKNOWABLE,
      }
    }
  },
}

const unsaidWay: Template = {
  name: 'way of paying unsaid',
  isUnknowable: true,
  async draw(draw) {
    const pair = await pairOf(draw)
    const amount = sumOf(draw, pair.amounts, FACTORS.near)
    const payOut = draw.random.pick(['mobile_money', 'cash', 'bank_account'])
    const slots = { ...sidesOf(draw, pair), amount, payOut }
    return {
      slots,
      text:
        `The recipient needs it as ${payOut.replace('_', ' ')}: who surely ` +
        `pays out most so of ${amount} ${pair.source} from ${slots.sender} ` +
        `to ${slots.receiver}?`,
      truth: UNKNOWABLE,
    }
  },
}

const noOffers: Template = {
  name: 'no offers',
  isUnknowable: true,
  async draw(draw) {
    const [pair] = await draw.sql<Pair[]>`
      SELECT s.country AS sender, t.country AS receiver, s.money AS source, t.money AS target
      FROM (SELECT DISTINCT source_country AS country, source AS money FROM truth.pair) s,
        (SELECT DISTINCT target_country AS country, target AS money FROM truth.pair) t
      WHERE s.money <> t.money AND NOT EXISTS (
        SELECT FROM truth.price p
        WHERE p.source = s.money AND p.target = t.money AND coalesce(p.source_country = s.country
          AND p.target_country = t.country, true))
      ORDER BY md5(${draw.salt} || s.country || t.country) LIMIT 1`
    const slots = { ...sidesOf(draw, pair!), amount: 200 }
    return {
      slots,
      text:
        `I send 200 ${pair!.source} from ${slots.sender} to ${slots.receiver}. ` +
        'Who gets most there, and how much arrives?',
      truth: UNKNOWABLE,
    }
  },
}

const otherProvider: Template = {
  name: 'a provider that is not there',
  isUnknowable: true,
  async draw(draw) {
    const pair = await pairOf(draw)
    const [one] = await draw.sql<{ name: string }[]>`
      SELECT name FROM truth.price WHERE source_country IS NOT NULL AND provider NOT IN (
        SELECT provider FROM truth.price WHERE source = ${pair.source} AND target = ${pair.target})
      GROUP BY name ORDER BY md5(${draw.salt} || name) LIMIT 1`
    return ofProvider(draw, pair, one!.name)
  },
}

const unknownProvider: Template = {
  name: 'unknown provider',
  isUnknowable: true,
  async draw(draw) {
    const name = draw.random.pick(['Zappo Remit', 'Kwikcash 9', 'Banque Imaginaire', 'Pesaroo'])
    return ofProvider(draw, await pairOf(draw), name)
  },
}

function ofProvider(draw: Draw, pair: Pair, provider: string): Drawn {
  const slots = { ...sidesOf(draw, pair), amount: pair.amounts[0]!, provider }
  return {
    slots,
    text:
      `What arrives of ${slots.amount} ${pair.source} from ${slots.sender} ` +
      `to ${slots.receiver} with ${provider}?`,
    truth: UNKNOWABLE,
  }
}

export const sendingTemplates = [best, receipt, versus, byWay, bySpeed]
export const unsendable = [outOfRange, unsaidWay, noOffers, otherProvider, unknownProvider]
