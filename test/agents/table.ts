import type { Played } from './benchmark.ts'
import { VERDICTS } from './score.ts'

const HEAD = ['question', ...VERDICTS, 'points', 'calls', 'tokens']

/** A player's results by kind of question, as a Markdown table; the last row is of all. */
export function tableOf(played: readonly Played[]): string {
  const kinds = [...Map.groupBy(played, ({ question }) => question.template)]
  const rows = [...kinds, ['all', played] as const].map(([name, own]) => rowOf(name, own))
  return [HEAD, HEAD.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function rowOf(name: string, played: readonly Played[]): string[] {
  const counts = VERDICTS.map((verdict) => played.filter((one) => one.verdict === verdict).length)
  const points = played.reduce((sum, one) => sum + one.points, 0)
  return [
    name,
    ...counts.map((count) => (count === 0 ? '' : String(count))),
    String(points),
    meanOf(played, 'calls').toFixed(2),
    meanOf(played, 'tokens').toFixed(0),
  ]
}

export const meanOf = (played: readonly Played[], of: 'calls' | 'tokens'): number =>
  played.reduce((sum, one) => sum + one[of], 0) / played.length

/** Share of the questions with one of these verdicts. */
export const shareOf = (played: readonly Played[], ...verdicts: readonly string[]): number =>
  played.filter(({ verdict }) => verdicts.includes(verdict)).length / played.length
