import { type Caveat, type Draw, type Template, UNKNOWABLE } from '../question.ts'
import { currencyWord } from '../wording.ts'

type Two = { readonly source: string; readonly target: string }

/** Two currencies that have a mid now, one of them African. */
export async function twoOf({ sql, salt }: Draw): Promise<Two> {
  const [two] = await sql<Two[]>`
    SELECT source, target FROM truth.pair, truth.moment,
      LATERAL truth.mid(source, target, at)
    WHERE source <> target GROUP BY 1, 2 ORDER BY md5(${salt} || source || target) LIMIT 1`
  return two!
}

export const wordsOf = ({ random }: Draw, { source, target }: Two) => ({
  from: currencyWord(source, random),
  to: currencyWord(target, random),
})

async function midOf({ sql }: Draw, { source, target }: Two): Promise<number> {
  const [mid] = await sql<{ rate: number }[]>`
    SELECT rate FROM truth.mid(${source}, ${target}, (SELECT at FROM truth.moment))`
  return mid!.rate
}

const mid: Template = {
  name: 'mid of now',
  isUnknowable: false,
  async draw(draw) {
    const two = await twoOf(draw)
    const slots = wordsOf(draw, two)
    return {
      slots,
      text: `How much ${slots.to} is one ${slots.from} worth at the mid-market rate?`,
      truth: { isUnknowable: false, figure: await midOf(draw, two), caveats: [] },
    }
  },
}

const inverse: Template = {
  name: 'inverse',
  isUnknowable: false,
  async draw(draw) {
    const two = await twoOf(draw)
    const words = wordsOf(draw, two)
    const amount = (1 + draw.random.below(99)) * 1000
    return {
      slots: { from: words.to, to: words.from, amount },
      text: `How much ${words.from} are ${amount} ${words.to} at the mid-market rate?`,
      truth: { isUnknowable: false, figure: amount / (await midOf(draw, two)), caveats: [] },
    }
  },
}

type Seen = Two & {
  readonly provider: string
  readonly day: string
  readonly is_stale: boolean
  readonly is_suspect: boolean
}

/** A price's age, of providers whose prices in a pair of currencies are all of one day. */
const age: Template = {
  name: 'age of a price',
  isUnknowable: false,
  async draw(draw) {
    const isStale = draw.random.chance(0.5)
    const [one] = await draw.sql<Seen[]>`
      SELECT name AS provider, source, target, min(is_stale::int)::boolean AS is_stale,
        bool_and(coalesce(is_suspect, false)) AS is_suspect, to_char(max(seen_at AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS day
      FROM truth.price GROUP BY 1, 2, 3 HAVING count(DISTINCT seen_at) = 1
        AND bool_and(is_stale) = ${isStale}
      ORDER BY md5(${draw.salt} || name || source || target) LIMIT 1`
    const slots = { ...wordsOf(draw, one!), provider: one!.provider }
    return {
      slots,
      text: `Of which day is the price of ${slots.provider} from ${slots.from} to ${slots.to}?`,
      truth: { isUnknowable: false, date: one!.day, caveats: dueFor(one!) },
    }
  },
}

const dueFor = (one: Seen): Caveat[] => [
  ...(one.is_stale ? (['stale'] as const) : []),
  ...(one.is_suspect ? (['suspect'] as const) : []),
]

/** The best rate of all, if it is old; a provider's own newer price comes first. */
const stale: Template = {
  name: 'a stale price leads',
  isUnknowable: false,
  async draw(draw) {
    const [best] = await draw.sql<(Two & { names: string[]; rate: number })[]>`
      WITH own AS (
        SELECT DISTINCT ON (source, target, provider) * FROM truth.price WHERE NOT is_suspect
        ORDER BY source, target, provider, is_stale, rate DESC),
      top AS (
        SELECT source, target, max(rate) AS rate FROM own GROUP BY 1, 2)
      SELECT source, target, rate, array_agg(name) AS names FROM own JOIN top
        USING (source, target, rate)
      GROUP BY 1, 2, 3 HAVING bool_and(is_stale)
      ORDER BY md5(${draw.salt} || source || target) LIMIT 1`
    const { names, rate } = best!
    const slots = wordsOf(draw, best!)
    return {
      slots,
      text:
        `Of all prices, however old, whose has the best rate from ${slots.from} ` +
        `to ${slots.to}, and what is it?`,
      truth: { isUnknowable: false, figure: rate, names, caveats: ['stale'] },
    }
  },
}

/** Currencies for which only central banks state rates, at which no one can send. */
const officialOnly: Template = {
  name: 'official only',
  isUnknowable: true,
  async draw(draw) {
    const [two] = await draw.sql<Two[]>`
      SELECT source, target FROM truth.newest GROUP BY 1, 2 HAVING bool_and(kind = 'official')
      ORDER BY md5(${draw.salt} || source || target) LIMIT 1`
    const slots = { ...wordsOf(draw, two!), amount: 500 }
    return {
      slots,
      text: `Who gets most ${slots.to} for 500 ${slots.from} that I send, and how much arrives?`,
      truth: UNKNOWABLE,
    }
  },
}

const AMBIGUOUS = ['dollars', 'francs', 'dinars', 'pesos', 'rupees', 'shillings', 'CFA', 'pounds']

const ambiguous: Template = {
  name: 'ambiguous currency',
  isUnknowable: true,
  async draw({ random }) {
    const from = random.pick(AMBIGUOUS)
    const to = random.pick(['naira', 'ZMW', 'Ethiopian birr'])
    return {
      slots: { from, to },
      text: `What are ${from} worth in ${to} at the mid-market rate?`,
      truth: UNKNOWABLE,
    }
  },
}

const forecast: Template = {
  name: 'forecast',
  isUnknowable: true,
  async draw(draw) {
    const slots = wordsOf(draw, await twoOf(draw))
    const days = draw.random.pick([7, 30, 90])
    return {
      slots,
      text: `What will one ${slots.from} be worth in ${slots.to} in ${days} days?`,
      truth: UNKNOWABLE,
    }
  },
}

const advice: Template = {
  name: 'advice',
  isUnknowable: true,
  async draw(draw) {
    const slots = wordsOf(draw, await twoOf(draw))
    return {
      slots,
      text: `Should I keep my savings in ${slots.to} or in ${slots.from}?`,
      truth: UNKNOWABLE,
    }
  },
}

export const rateTemplates = [mid, inverse, age, stale]
export const unrated = [officialOnly, ambiguous, forecast, advice]
