import type { Grid } from '~/file/table/grid.ts'
import type { Habits } from '~/file/table/habits.ts'
import { namedTwice } from '~/file/table/names.ts'
import type { Reading } from '~/file/table/rows.ts'
import { MEMBER_LABELS } from './labels.ts'

/** Something that a person has to say before a table can be recorded. */
export type Question = {
  /** The name of the field that answers it; null if a column does. */
  readonly field: 'provider_id' | 'from' | 'to' | 'decimal' | 'dates' | 'time_zone' | null
  readonly text: string
}

type Asked = {
  readonly grid: Grid
  readonly reading: Reading
  readonly habits: Habits
  readonly isChosen: boolean
}

export function questionsOf({ grid, reading, habits, isChosen }: Asked): Question[] {
  const { columns, fixed, decimal, dates, timeZone } = reading
  const has = (...members: (typeof columns)[number][]) =>
    members.some((one) => columns.includes(one))
  const questions: Question[] = []
  const ask = (field: Question['field'], text: string) => questions.push({ field, text })
  for (const member of isChosen ? [] : namedTwice(grid.header, columns))
    ask(null, `Several columns are called ${MEMBER_LABELS[member].toLowerCase()}: choose one.`)
  if (!has('rate')) ask(null, 'Choose the column with the rate.')
  if (!has('provider_id') && !fixed.provider_id)
    ask('provider_id', 'Choose whose prices these are.')
  if (!has('from', 'corridor') && !fixed.from) ask('from', 'Say which currency is sent.')
  if (!has('to', 'corridor') && !fixed.to) ask('to', 'Say which currency arrives.')
  if (habits.asksDecimal && decimal === null)
    ask('decimal', 'Choose how numbers are written: 1,284 could be 1284 or 1.284.')
  if (habits.asksDates && dates === null)
    ask('dates', 'Choose how dates are written: 03/04/2026 could be two days.')
  if (habits.asksZone && timeZone === null)
    ask('time_zone', 'Choose in which time zone the times are.')
  return questions
}
