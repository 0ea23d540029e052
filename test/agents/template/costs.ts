import type { Draw, Drawn, Template } from '../question.ts'
import { countryWord } from '../wording.ts'

/** The sum that the survey prices, to which every cost here refers. */
const SUM = 'about 200 dollars'

type PairCost = {
  readonly sender: string
  readonly receiver: string
  readonly average: number
}

const pairsOf = ({ sql, salt }: Draw) => sql<PairCost[]>`
  SELECT source_country AS sender, target_country AS receiver, average
  FROM truth.pair_cost ORDER BY md5(${salt} || source_country || target_country)`

const average: Template = {
  name: 'average cost',
  isUnknowable: false,
  async draw(draw) {
    const [pair] = await pairsOf(draw)
    const sender = countryWord(pair!.sender, draw.random)
    const receiver = countryWord(pair!.receiver, draw.random)
    return {
      slots: { sender, receiver },
      text: `What percent does sending ${SUM} from ${sender} to ${receiver} cost on average?`,
      truth: { isUnknowable: false, figure: pair!.average, caveats: [] },
    }
  },
}

const costByWay: Template = {
  name: 'average cost by way of paying',
  isUnknowable: false,
  async draw(draw) {
    const [pair] = await draw.sql<(PairCost & { way: string })[]>`
      SELECT source_country AS sender, target_country AS receiver, way, avg(cost_pct) AS average
      FROM truth.cost, unnest(pay_in) way GROUP BY 1, 2, 3
      ORDER BY md5(${draw.salt} || source_country || target_country || way) LIMIT 1`
    const slots = {
      sender: countryWord(pair!.sender, draw.random),
      receiver: countryWord(pair!.receiver, draw.random),
      way: pair!.way,
    }
    return {
      slots,
      text:
        `What percent does sending ${SUM} from ${slots.sender} to ${slots.receiver} ` +
        `cost on average when paid by ${slots.way.replace('_', ' ')}?`,
      truth: { isUnknowable: false, figure: pair!.average, caveats: [] },
    }
  },
}

const points: Template = {
  name: 'points between two pairs',
  isUnknowable: false,
  async draw(draw) {
    const all = await pairsOf(draw)
    const first = all[0]!
    const second = all.find(
      ({ sender, receiver }) => receiver === first.receiver && sender !== first.sender,
    )
    if (!second) return points.draw({ ...draw, salt: `${draw.salt} again` })
    const slots = {
      one: countryWord(first.sender, draw.random),
      other: countryWord(second.sender, draw.random),
      receiver: countryWord(first.receiver, draw.random),
    }
    return {
      slots,
      text:
        'By how many percentage points do the average costs of sending ' +
        `${SUM} to ${slots.receiver} from ${slots.one} and from ${slots.other} ` +
        'differ?',
      truth: { isUnknowable: false, figure: Math.abs(first.average - second.average), caveats: [] },
    }
  },
}

const LONGEST = 5

const dearest: Template = {
  name: 'top N',
  isUnknowable: false,
  async draw({ sql, random }) {
    const count = 2 + random.below(LONGEST - 1)
    const isDearest = random.chance(0.5)
    const all = await sql<PairCost[]>`
      SELECT source_country AS sender, target_country AS receiver, average FROM truth.pair_cost
      ORDER BY average ${isDearest ? sql`DESC` : sql`ASC`} LIMIT ${count}`
    const word = isDearest ? 'dearest' : 'cheapest'
    return {
      slots: { count, order: isDearest ? 'highest' : 'lowest' },
      text:
        `Which ${count} pairs of countries are the ${word} on average for ` +
        `${SUM}, the ${word} first?`,
      truth: {
        isUnknowable: false,
        list: all.map(({ sender, receiver }) => `${sender}/${receiver}`),
        caveats: [],
      },
    }
  },
}

const cheapestSender: Template = {
  name: 'cheapest country to send from',
  isUnknowable: false,
  async draw(draw) {
    const [first] = await pairsOf(draw)
    const [best] = await draw.sql<PairCost[]>`
      SELECT source_country AS sender, target_country AS receiver, average FROM truth.pair_cost
      WHERE target_country = ${first!.receiver} ORDER BY average LIMIT 1`
    const receiver = countryWord(first!.receiver, draw.random)
    return {
      slots: { receiver },
      text:
        `From which country is it cheapest on average to send ${SUM} to ` +
        `${receiver}, and what does it cost in percent?`,
      truth: { isUnknowable: false, figure: best!.average, names: [best!.sender], caveats: [] },
    }
  },
}

const coverage: Template = {
  name: 'coverage',
  isUnknowable: false,
  async draw(draw) {
    const [first] = await pairsOf(draw)
    const isAll = draw.random.chance(0.3)
    const all = await draw.sql<{ name: string; pairs: number }[]>`
      SELECT name, count(DISTINCT (source_country, target_country))::int AS pairs FROM truth.cost
      WHERE NOT is_suspect AND (${isAll} OR source_country = ${first!.sender})
      GROUP BY name ORDER BY pairs DESC`
    const sender = isAll ? '' : countryWord(first!.sender, draw.random)
    return {
      slots: { sender },
      text:
        `Who has prices for most pairs of countries${isAll ? '' : ` from ${sender}`}, ` +
        `for ${SUM}, and for how many?`,
      truth: mostOf(all),
    }
  },
}

function mostOf(all: readonly { readonly name: string; readonly pairs: number }[]): Drawn['truth'] {
  const { pairs } = all[0]!
  const names = all.filter((one) => one.pairs === pairs).map(({ name }) => name)
  return { isUnknowable: false, figure: pairs, names, caveats: [] }
}

const PAIRS_MIN = 5

const cheapestProvider: Template = {
  name: 'cheapest provider',
  isUnknowable: false,
  async draw({ sql, random }) {
    const least = PAIRS_MIN + random.below(PAIRS_MIN * 4)
    const [best] = await sql<{ name: string; average: number }[]>`
      SELECT name, average FROM truth.provider_cost WHERE pairs >= ${least}
      ORDER BY average LIMIT 1`
    return {
      slots: { least },
      text:
        `Of the providers with at least ${least} pairs of countries, whose ` +
        `cheapest prices cost least on average for ${SUM}, and how many ` +
        'percent?',
      truth: { isUnknowable: false, figure: best!.average, names: [best!.name], caveats: [] },
    }
  },
}

export const costTemplates = [
  average,
  costByWay,
  points,
  dearest,
  cheapestSender,
  coverage,
  cheapestProvider,
]
