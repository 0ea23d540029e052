import { type Draw, type Template, UNKNOWABLE } from '../question.ts'
import { twoOf, wordsOf } from './rates.ts'

type Stated = {
  readonly bank: string
  readonly source: string
  readonly target: string
  readonly asked: string
  readonly rate_date: string
  readonly rate: number
  /** The mid at the end of the requested date at the bank; null without a recent one. */
  readonly mid: number | null
}

/** Rate that a bank stated by the end of one of its own days, or of a few days after. */
async function statedOf({ sql, salt, random }: Draw, later: number): Promise<Stated> {
  const [series] = await sql<{ id: number }[]>`
    SELECT pc.id FROM provider_corridors pc JOIN providers p ON p.id = pc.provider_id
    WHERE p.rate_type = 'official' ORDER BY md5(${salt} || pc.id) LIMIT 1`
  const [stated] = await sql<Stated[]>`
    WITH days AS (
      SELECT DISTINCT (o.effective_from AT TIME ZONE p.time_zone)::date AS day
      FROM observations o JOIN provider_corridors pc ON pc.id = o.provider_corridor_id
      JOIN providers p ON p.id = pc.provider_id WHERE pc.id = ${series!.id}),
    chosen AS (SELECT day + ${random.below(later + 1)}::int AS day FROM days
      ORDER BY md5(${salt} || day) LIMIT 1)
    SELECT p.name AS bank, c.source, c.target, o.rate::float8 AS rate,
      to_char(chosen.day, 'YYYY-MM-DD') AS asked,
      to_char((o.effective_from AT TIME ZONE p.time_zone)::date, 'YYYY-MM-DD') AS rate_date,
      (SELECT rate FROM truth.mid(c.source, c.target,
        ((chosen.day + 1)::timestamp AT TIME ZONE p.time_zone) - interval '1 ms')) AS mid
    FROM chosen, observations o JOIN provider_corridors pc ON pc.id = o.provider_corridor_id
    JOIN providers p ON p.id = pc.provider_id JOIN corridors c ON c.id = o.corridor_id
    WHERE pc.id = ${series!.id}
      AND (o.effective_from AT TIME ZONE p.time_zone)::date <= chosen.day
    ORDER BY o.effective_from DESC, o.recorded_at DESC, o.id DESC LIMIT 1`
  return stated!
}

const official: Template = {
  name: 'official rate of a date',
  isUnknowable: false,
  async draw(draw) {
    const stated = await statedOf(draw, 3)
    const slots = { ...wordsOf(draw, stated), bank: stated.bank, date: stated.asked }
    const isEarlier = stated.rate_date !== stated.asked
    return {
      slots,
      text: `How many ${slots.to} did ${slots.bank} state for one ${slots.from} for ${slots.date}?`,
      truth: {
        isUnknowable: false,
        figure: stated.rate,
        date: stated.rate_date,
        caveats: isEarlier ? ['earlier'] : [],
      },
    }
  },
}

const gap: Template = {
  name: 'official against mid on its date',
  isUnknowable: false,
  async draw(draw) {
    for (let turn = 0; ; turn++) {
      const stated = await statedOf({ ...draw, salt: `${draw.salt} ${turn}` }, 0)
      if (stated.mid === null) continue
      const slots = { ...wordsOf(draw, stated), bank: stated.bank, date: stated.asked }
      return {
        slots,
        text:
          `By how many percent did what ${slots.bank} stated for one ${slots.from} ` +
          `in ${slots.to} for ${slots.date} lie above that day's mid?`,
        truth: {
          isUnknowable: false,
          figure: 100 * (stated.rate / stated.mid - 1),
          date: stated.rate_date,
          caveats: [],
        },
      }
    }
  },
}

const PERIODS = ['7d', '30d', '90d', '180d', '365d', 'ytd'] as const

const change: Template = {
  name: 'change',
  isUnknowable: false,
  async draw(draw) {
    const two = await twoOf(draw)
    const period = draw.random.pick(PERIODS)
    const [moved] = await draw.sql<{ pct: number | null }[]>`
      SELECT 100 * (last.rate / first.rate - 1) AS pct FROM truth.moment m
      LEFT JOIN LATERAL truth.mid(${two.source}, ${two.target}, m.at) last ON true
      LEFT JOIN LATERAL truth.mid(${two.source}, ${two.target}, CASE ${period}
        WHEN 'ytd' THEN date_trunc('year', m.at)
        ELSE m.at - left(${period}, -1)::int * interval '1 day' END) first ON true`
    const since = period === 'ytd' ? 'since the year began' : `in ${period.slice(0, -1)} days`
    const slots = { ...wordsOf(draw, two), period }
    if (moved!.pct === null) return change.draw({ ...draw, salt: `${draw.salt} again` })
    return {
      slots,
      text: `By how many percent did one ${slots.from} in ${slots.to} change ${since}, at the mid?`,
      truth: { isUnknowable: false, figure: moved!.pct, caveats: [] },
    }
  },
}

type Day = { readonly day: string; readonly rate: number; readonly pct: number | null }

/** Pairs that move, and their days within a quarter with mids of their own. */
async function daysOf(draw: Draw) {
  for (let turn = 0; ; turn++) {
    const two = await twoOf({ ...draw, salt: `${draw.salt} ${turn}` })
    const days = await draw.sql<Day[]>`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, rate, CASE
        WHEN lag(day) OVER (ORDER BY day) = day - 1
        THEN 100 * (rate / lag(rate) OVER (ORDER BY day) - 1) END AS pct
      FROM truth.days(${two.source}, ${two.target}, 90) ORDER BY day`
    if (new Set(days.map(({ rate }) => rate.toPrecision(9))).size > days.length / 2)
      return { two, days }
  }
}

const extreme: Template = {
  name: 'extreme day',
  isUnknowable: false,
  async draw(draw) {
    const { two, days } = await daysOf(draw)
    const which = draw.random.pick(['highest', 'lowest'] as const)
    const sign = which === 'highest' ? -1 : 1
    const [first] = days.toSorted((a, b) => sign * (a.rate - b.rate))
    const slots = { ...wordsOf(draw, two), which }
    return {
      slots,
      text:
        `On which day of the last 90 was the mid of one ${slots.from} in ` +
        `${slots.to} ${which}, and what was it?`,
      truth: { isUnknowable: false, figure: first!.rate, date: first!.day, caveats: [] },
    }
  },
}

const largestMove: Template = {
  name: 'largest daily move',
  isUnknowable: false,
  async draw(draw) {
    const { two, days } = await daysOf(draw)
    const moves = days.filter(({ pct }) => pct !== null)
    const [first] = moves.toSorted((a, b) => Math.abs(b.pct!) - Math.abs(a.pct!))
    const slots = wordsOf(draw, two)
    return {
      slots,
      text:
        `On which day of the last 90 did the mid of one ${slots.from} in ` +
        `${slots.to} move most against the day before, and by how many ` +
        'percent?',
      truth: { isUnknowable: false, figure: first!.pct!, date: first!.day, caveats: [] },
    }
  },
}

/** The first day that has references, and one of the days without any. */
type Dates = { readonly first: string; readonly lacking: string; readonly known: string }

async function datesOf({ sql, salt }: Draw): Promise<Dates> {
  const [dates] = await sql<Dates[]>`
    WITH known AS (SELECT DISTINCT (fetched_at AT TIME ZONE 'UTC')::date AS day
      FROM reference_snapshots),
    bounds AS (SELECT min(day) AS least, max(day) AS most FROM known)
    SELECT to_char(least, 'YYYY-MM-DD') AS first,
      (SELECT to_char(day, 'YYYY-MM-DD') FROM known ORDER BY md5(${salt} || day) LIMIT 1) AS known,
      (SELECT to_char(d, 'YYYY-MM-DD') FROM generate_series(least, most, '1 day') d
        WHERE d::date NOT IN (SELECT day FROM known) ORDER BY md5(${salt} || d) LIMIT 1) AS lacking
    FROM bounds`
  return dates!
}

const SUMS = [100, 250, 500, 2000] as const

async function onDate(draw: Draw, date: string) {
  const two = await twoOf(draw)
  const slots = { ...wordsOf(draw, two), amount: draw.random.pick(SUMS), date }
  const text =
    `What would ${slots.amount} ${slots.from} have been in ${slots.to} ` +
    `on ${date}, at that day's own mid?`
  return { two, slots, text }
}

const then: Template = {
  name: 'what it would have brought then',
  isUnknowable: false,
  async draw(draw) {
    const { known } = await datesOf(draw)
    const { two, slots, text } = await onDate(draw, known)
    const [mid] = await draw.sql<{ rate: number }[]>`
      SELECT rate FROM truth.moment m, LATERAL truth.mid(${two.source}, ${two.target},
        least((${known}::date + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 ms', m.at)) mid
      WHERE mid.known_at >= ${known}::timestamp AT TIME ZONE 'UTC'`
    if (!mid) return then.draw({ ...draw, salt: `${draw.salt} again` })
    return {
      slots,
      text,
      truth: {
        isUnknowable: false,
        figure: slots.amount * mid.rate,
        date: known,
        caveats: [],
      },
    }
  },
}

/** A question about a date, between currencies whose mid does not follow from pegs alone. */
async function aboutDate(draw: Draw, dateOf: (draw: Draw) => Promise<string>) {
  for (let turn = 0; ; turn++) {
    const again = { ...draw, salt: `${draw.salt} ${turn}` }
    const { two, slots, text } = await onDate(again, await dateOf(again))
    const [moving] = await draw.sql<{ is: boolean }[]>`
      SELECT coalesce(s.peg_to, s.code) <> coalesce(t.peg_to, t.code) AS is
      FROM currencies s, currencies t WHERE s.code = ${two.source} AND t.code = ${two.target}`
    if (moving!.is) return { slots, text, truth: UNKNOWABLE }
  }
}

const carried: Template = {
  name: 'carried mid',
  isUnknowable: true,
  draw: (draw) => aboutDate(draw, async (again) => (await datesOf(again)).lacking),
}

const YEARS = 10

const beforeFirst: Template = {
  name: 'before the first record',
  isUnknowable: true,
  draw: (draw) =>
    aboutDate(draw, async (again) => {
      const { first } = await datesOf(again)
      return `${Number(first.slice(0, 4)) - 1 - draw.random.below(YEARS)}${first.slice(4)}`
    }),
}

export const pastTemplates = [official, gap, change, extreme, largestMove, then]
export const unrecorded = [carried, beforeFirst]
