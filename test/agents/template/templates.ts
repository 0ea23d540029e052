import { Random } from '../../fuzz/random.ts'
import type { Draw, Question, Template } from '../question.ts'
import { costTemplates } from './costs.ts'
import { pastTemplates, unrecorded } from './past.ts'
import { rateTemplates, unrated } from './rates.ts'
import { sendingTemplates, unsendable } from './sending.ts'

/** Every kind of question, the unanswerable ones last. */
export const TEMPLATES: readonly Template[] = [
  ...[...sendingTemplates, ...costTemplates, ...rateTemplates, ...pastTemplates],
  ...[...unsendable, ...unrated, ...unrecorded],
]

/** One question in so many must be declined. */
const UNKNOWABLE_EVERY = 4

/** The question of a turn, which follows from the seed and the database alone. */
export async function questionOf(
  sql: Draw['sql'],
  { seed, turn }: { readonly seed: number; readonly turn: number },
): Promise<Question> {
  const isUnknowable = turn % UNKNOWABLE_EVERY === UNKNOWABLE_EVERY - 1
  const some = TEMPLATES.filter((one) => one.isUnknowable === isUnknowable)
  const round = Math.floor(turn / UNKNOWABLE_EVERY)
  const place = isUnknowable ? round : turn - round
  const template = some[place % some.length]!
  const random = new Random(seed, turn)
  const drawn = await template.draw({ sql, random, salt: `${seed} ${turn}` })
  return { template: template.name, ...drawn }
}
