import { createHash } from 'node:crypto'
import type { Clock } from '~/clock.ts'
import type { Account } from '~/domain/account.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { meantBy } from '~/domain/naming/misspelling.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Suspicion } from '~/domain/price/suspect.ts'
import type { UploadChoices, UploadDraft } from '~/domain/upload.ts'
import type { Grid, GridRow } from '~/file/table/grid.ts'
import { type Habits, habitsOf } from '~/file/table/habits.ts'
import { COLUMN_MEMBERS, type ColumnMember, type Columns } from '~/file/table/names.ts'
import { type CellFault, CellReader, type Reading } from '~/file/table/rows.ts'
import { readInSlices } from '~/http/recording/ingest.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { allowedProviders } from '~/service/access.ts'
import type { IngestDeps } from '~/service/recording/ingest.ts'
import { doubtsOf } from '~/service/recording/plausibility.ts'
import { type Compared, comparedWith, offerName } from '~/service/recording/upload.ts'
import { type Question, questionsOf } from './questions.ts'

type PreviewDeps = {
  readonly memory: Memory
  readonly store: IngestDeps['store']
  readonly clock: Clock
  readonly ageLimits: AgeLimits
}

/** A row of a table as it would be recorded. */
export type PreviewRow = GridRow &
  Compared & {
    readonly faults: readonly CellFault[]
    readonly suspect: Suspicion | null
    /** Null for a row with errors. */
    readonly observation: Observation | null
    /** Says whether a later row of the table has a price of the same offer and time. */
    readonly isRepeated: boolean
  }

/** A table as it would be recorded now. */
export type Preview = {
  readonly grid: Grid
  readonly reading: Reading
  readonly habits: Habits
  /** Questions that have to be answered before anything is recorded. */
  readonly questions: readonly Question[]
  readonly rows: readonly PreviewRow[]
  /** The number of rows that are wrong only because their rates are implausible. */
  readonly implausibleCount: number
  /** Changes with each price, doubt or choice that the page shows. */
  readonly digest: string
  /** The greatest id of the live prices shown; a greater one was recorded later. */
  readonly newestId: number
}

/** Move of a price since the last one above which it is pointed out, in percent. */
export const MOVE_PCT_MAX = 5

export const isMoved = ({ movePct, isOlder }: PreviewRow): boolean =>
  movePct !== null && !isOlder && Math.abs(movePct) > MOVE_PCT_MAX

export const gridIn = ({ content }: Pick<UploadDraft, 'content'>): Grid =>
  JSON.parse(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(content))))

type Asked = { readonly grid: Grid; readonly choices: UploadChoices; readonly account: Account }

/** Rows that a table would record, by its choices and the live prices. */
export async function previewOf(deps: PreviewDeps, asked: Asked): Promise<Preview> {
  const { choices, account } = asked
  const columns = choices.columns as Columns
  const grid = withoutUnpriced(asked.grid, columns)
  const habits = habitsOf(grid, columns)
  const reading: Reading = {
    ...{ columns, fixed: choices.fixed, timeZone: choices.timeZone },
    decimal: choices.decimal ?? habits.decimal,
    dates: choices.dates ?? habits.dates,
    isAccepted: choices.isAccepted,
  }
  const questions = questionsOf({ grid, reading, habits, isChosen: choices.isChosen })
  const { rows, implausibleCount } = await rowsOf(deps, { grid, reading, account })
  const shown = rows.map(({ last, suspect }) => [last?.id ?? 0, suspect !== null])
  const digest = createHash('sha256')
    .update(JSON.stringify([choices, shown]))
    .digest('hex')
  const newestId = rows.reduce((newest, { last }) => Math.max(newest, last?.id ?? 0), 0)
  return { grid, reading, habits, questions, rows, implausibleCount, digest, newestId }
}

/** Fields of a row about its price, and not about what the price is for. */
const PRICE_MEMBERS: Columns = ['rate', 'fee', 'fee_percent', 'effective_from', 'valid_until']

/** A table without the rows that say nothing of a price, as most of a template's may. */
function withoutUnpriced(grid: Grid, columns: Columns): Grid {
  if (!columns.includes('rate')) return grid
  const isPriced = ({ cells, fault }: GridRow) =>
    fault !== null ||
    columns.some((member, at) => PRICE_MEMBERS.includes(member) && cells[at] !== '')
  const rows = grid.rows.filter(isPriced)
  const left = grid.rows.length - rows.length
  if (left === 0 || rows.length === 0) return grid
  const note = `Rows without any price are left out: ${left.toLocaleString('en')}.`
  return { ...grid, rows, notes: [...grid.notes, note] }
}

type Rows = { readonly grid: Grid; readonly reading: Reading; readonly account: Account }

async function rowsOf(deps: PreviewDeps, { grid, reading, account }: Rows) {
  const { memory, clock } = deps
  const nowMs = clock.now()
  const { catalogue } = memory.current
  const reader = new CellReader(reading, catalogue)
  const cells = grid.rows.map((row) => reader.read(row))
  const sent = cells.map(({ members }) => members)
  const read = await readInSlices(sent, { catalogue, nowMs, defaultEffectiveMs: nowMs })
  const faults = cells.map((row) => [...row.faults])
  for (const { index, error } of read.faults)
    addFault(faults[index]!, cellFaultOf(error, catalogue))
  for (const { index, observation } of read.rows)
    addFault(faults[index]!, limitFault(account, observation))
  const whole = read.rows.filter(({ index }) => faults[index]!.length === 0)
  const viewNow = () =>
    new View(memory.current, freshnessAt('realtime', clock.now()), deps.ageLimits)
  const doubts = await doubtsOf({ ...deps, viewNow }, whole)
  const observations = whole.map(({ observation }) => observation)
  const compared = comparedWith(viewNow(), observations)
  const repeated = repeatedAmong(observations)
  const rows: PreviewRow[] = grid.rows.map((row, i) => ({ ...row, ...UNREAD, faults: faults[i]! }))
  whole.forEach(({ index, observation }, i) => {
    const { fault, suspect } = doubts[i]!
    addFault(
      faults[index]!,
      fault === null ? null : { member: 'rate', fault: implausibleText(fault) },
    )
    const found = fault === null ? { observation, suspect } : { observation: null, suspect: null }
    rows[index] = {
      ...rows[index]!,
      ...compared[i]!,
      ...found,
      isRepeated: repeated.has(observation),
    }
  })
  return { rows, implausibleCount: doubts.filter(({ fault }) => fault !== null).length }
}

/** Doubt about a rate, without instructions for programs. */
const implausibleText = (fault: string): string => fault.split(';')[0]!.replace(/^rate /, '')

const UNREAD = {
  ...{ last: null, movePct: null, isOlder: false },
  ...{ suspect: null, observation: null, isRepeated: false },
}

/** Adds an error unless its cell has one already. */
function addFault(faults: CellFault[], fault: CellFault | null): void {
  const isKnown = (member: ColumnMember | null) =>
    member !== null && faults.some((one) => one.member === member)
  if (fault && !isKnown(fault.member)) faults.push(fault)
}

function limitFault(account: Account, { providerId }: Observation): CellFault | null {
  const allowed = allowedProviders(account)
  if (!allowed || allowed.includes(providerId)) return null
  const fault = `this account may record prices of ${allowed.join(', ')} only`
  return { member: 'provider_id', fault }
}

/** Observations for which a later one of the list has the same offer and time. */
function repeatedAmong(observations: readonly Observation[]): ReadonlySet<Observation> {
  const latest = new Map<string, Observation>()
  const repeated = new Set<Observation>()
  for (const one of observations) {
    const name = `${one.from} ${one.to} ${one.effectiveMs} ${offerName(one)}`
    const earlier = latest.get(name)
    if (earlier) repeated.add(earlier)
    latest.set(name, one)
  }
  return repeated
}

/** The fields that the rules of a row name in another way. */
const SIDES: Readonly<Record<string, ColumnMember>> = {
  source_currency: 'from',
  target_currency: 'to',
}

const UNKNOWN_PROVIDER = /^"(.*)" is not an active id/
const NOT_ISO = /^must be an ISO-8601 date-time/
const UNREADABLE = 'is not a date that can be read. Write it like 2026-11-26 09:00'

/** The cell that a rule of rows is about, and the rule in the words of a page. */
function cellFaultOf(sentence: string, catalogue: CatalogueIndex): CellFault {
  const [, name = '', rest = ''] = /^(\S+) (.*)$/s.exec(sentence) ?? []
  const member = SIDES[name] ?? COLUMN_MEMBERS.find((one) => one === name) ?? null
  if (member === null || sentence.startsWith('source and target'))
    return { member: null, fault: sentence }
  if (/^(\(or \w+\) )?is required/.test(rest)) return { member, fault: 'is missing' }
  const [, unknown] = UNKNOWN_PROVIDER.exec(rest) ?? []
  if (member === 'provider_id' && unknown !== undefined)
    return { member, fault: `“${unknown}” is not a provider here${suggestion(unknown, catalogue)}` }
  return {
    member,
    fault: NOT_ISO.test(rest) ? UNREADABLE : rest.replace('finite JSON number', 'number'),
  }
}

function suggestion(unknown: string, { providers }: CatalogueIndex): string {
  const names = providers.flatMap(({ id, name }) => [id, name.toLowerCase()])
  const meant = meantBy(unknown, names)
  return meant === null ? '' : `; is it ${meant}?`
}
