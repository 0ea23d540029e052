import {
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  CHANGES,
  type Facts,
} from '~/domain/audit.ts'
import type { Route } from '~/http/route.ts'
import { CSV, downloadReply } from '~/portal/download.ts'
import { Field, Select } from '~/portal/form.tsx'
import type { Member } from '~/portal/member/member-pages.ts'
import type { PageAnswer } from '~/portal/member/page-request.tsx'
import { Moment } from '~/portal/moment.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { ENGLISH } from '~/portal/words/words.ts'
import { csvRow, plainText } from '~/wire/csv-line.ts'
import { iso } from '~/wire/present.ts'
import { type OperatorDeps, operatorPages } from './admission.ts'
import { fieldsText, isFaulty, type LogQuery, logQueryOf } from './log-query.ts'
import { Places } from './operator.tsx'

const LOG_PAGE = 50

type Props = {
  readonly query: LogQuery
  readonly entries: readonly AuditEntry[]
  readonly isWhole: boolean
}

/** The log of changes with the person behind each, newest first. */
const logPage = (props: Props): Page => ({
  title: 'Changes',
  path: PATHS.operator,
  status: isFaulty(props.query) ? 400 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Changes</h1>
        <Places current={PATHS.log} />
        <p class="lead">
          Every change of an account or a key, from these pages and from the command line. Entries
          cannot be changed or removed; an account that is deleted leaves its id in them.
        </p>
      </div>
      <Filter query={props.query} />
      <Found {...props} />
    </div>
  ),
})

const ACTIONS = [
  { value: '', text: 'Any change' },
  ...CHANGES.map((value) => ({ value, text: value })),
]

const Filter = ({ query: { fields, faults } }: { query: LogQuery }) => (
  <search>
    <form method="get" action={PATHS.log} class="form-row filter-form form-row-tight">
      <Field name="actor" label="By" value={fields.actor} input={TEXT} />
      <Select
        name="action"
        label="Change"
        value={faults.action ? '' : fields.action}
        options={ACTIONS}
        isOptional
        error={faults.action}
      />
      <Field name="subject" label="Account or key" value={fields.subject} input={TEXT} />
      <Field name="from" label="From" type="date" value={fields.from} error={faults.from} />
      <Field name="to" label="To" type="date" value={fields.to} error={faults.to} />
      <button type="submit" class="button button-quiet">
        Show
      </button>
    </form>
  </search>
)

const TEXT = { autocomplete: 'off', maxLength: 254, spellcheck: false }

const Found = ({ query, entries, isWhole }: Props) => (
  <section class="stack-tight" aria-label="Changes found">
    {entries.length === 0 ? (
      <p class="muted">{noneText(query)}</p>
    ) : (
      <>
        <p>
          <a href={pathWith(PATHS.logFile, fieldsText(query))}>
            Download as CSV<span class="visually-hidden">, all that fit</span>
          </a>{' '}
          <span class="muted small">Days and times are UTC.</span>
        </p>
        <RowTable label="Changes" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
      </>
    )}
    <Pager {...{ query, entries, isWhole }} />
  </section>
)

function Pager({ query, entries, isWhole }: Props) {
  const before = { before: String(entries.at(-1)?.id) }
  if (isWhole && query.beforeId === null) return null
  return (
    <nav aria-label="Pages" class="actions">
      {query.beforeId !== null && (
        <a href={pathWith(PATHS.log, fieldsText(query))}>Newest changes</a>
      )}
      {!isWhole && <a href={pathWith(PATHS.log, fieldsText(query, before))}>Earlier changes</a>}
    </nav>
  )
}

function noneText(query: LogQuery): string {
  if (isFaulty(query)) return 'Correct what is marked above.'
  return fieldsText(query) === '' ? 'Nothing was changed yet.' : 'No change fits.'
}

const pathWith = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`)

const COLUMNS: Column<AuditEntry>[] = [
  { head: 'Change', class: 'nowrap', cell: ({ action }) => action },
  { head: 'Account or key', cell: (entry) => <Subject of={entry} /> },
  { head: 'Before and after', cell: (entry) => <span class="long">{differenceText(entry)}</span> },
  { head: 'By', cell: ({ actor }) => <span class="long">{actor}</span> },
  { head: 'When', cell: ({ atMs }) => <Moment ms={atMs} /> },
]

const Subject = ({ of: entry }: { of: AuditEntry }) => (
  <span>
    <a class="long" href={`${PATHS.account}?id=${entry.accountId}`}>
      {entry.subject}
    </a>{' '}
    <KeyOf entry={entry} />
  </span>
)

/** The key that a change is about: the new one if it was replaced. */
function KeyOf({ entry: { before, after } }: { entry: AuditEntry }) {
  const mark = (after ?? before)?.[KEY]
  return mark ? <span class="muted nowrap">{mark}</span> : null
}

/** The fact that is shown with what was changed. */
const KEY = 'key'

/** The fields that differ, as `plan free → pro`; only the new ones for something new. */
function differenceText({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const names = Object.keys(after ?? before ?? {}).filter((name) => name !== KEY)
  const changed = names.filter((name) => before?.[name] !== after?.[name])
  return (changed.length > 0 ? changed : names)
    .map((name) => `${nameText(name)} ${changeText(name, before, after)}`)
    .join(', ')
}

const nameText = (name: string): string => name.replace(/_id$/, '').replaceAll('_', ' ')

function changeText(name: string, before: Facts | null, after: Facts | null): string {
  const [old, now] = [before?.[name], after?.[name]]
  if (!old || old === now) return factText(now)
  return `${factText(old)} → ${factText(now)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const ID_LENGTH = 8
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

function factText(fact: string | null | undefined): string {
  if (!fact) return 'none'
  if (UUID.test(fact)) return fact.slice(0, ID_LENGTH)
  return INSTANT.test(fact) ? ENGLISH.momentText(Date.parse(fact)) : fact
}

export function logRoutes(deps: OperatorDeps): Route[] {
  const page = operatorPages(deps)
  return [...page(PATHS.log, { get: changes }), ...page(PATHS.logFile, { get: file })]
}

async function changes(deps: OperatorDeps, { pageRequest }: Member): Promise<PageAnswer> {
  const query = logQueryOf(pageRequest.url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  const { filter, beforeId } = query
  const entries = await deps.operated.changes({ filter, beforeId, limit: LOG_PAGE + 1 })
  const shown = entries.slice(0, LOG_PAGE)
  return { page: logPage({ query, entries: shown, isWhole: entries.length <= LOG_PAGE }) }
}

async function file(deps: OperatorDeps, { pageRequest }: Member): Promise<PageAnswer> {
  const query = logQueryOf(pageRequest.url.searchParams)
  if (isFaulty(query)) return { page: logPage({ query, entries: [], isWhole: true }) }
  return { response: await logFile(deps.operated.changes, query.filter) }
}

const FILE_COLUMNS = ['id', 'at', 'actor', 'action', 'subject', 'account_id', 'before', 'after']

/** The number of entries that are read at once; no more of the log is ever held. */
const BATCH_ENTRIES = 500

type Changes = (page: AuditPage) => Promise<readonly AuditEntry[]>

/**
 * The entries that fit as CSV, newest first, read from the database as fast as they are taken.
 * Rejects if the first cannot be read; a later failure breaks the transfer off.
 */
async function logFile(changes: Changes, filter: AuditFilter): Promise<Response> {
  const read = (beforeId: number | null) => changes({ filter, beforeId, limit: BATCH_ENTRIES })
  let next = await read(null)
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(csvRow(FILE_COLUMNS))),
    async pull(controller) {
      const batch = next
      if (batch.length > 0) controller.enqueue(encoder.encode(batch.map(lineOf).join('')))
      if (batch.length < BATCH_ENTRIES) controller.close()
      else next = await read(batch.at(-1)!.id)
    },
  })
  return downloadReply(body, { name: 'corridor-changes.csv', type: CSV })
}

const lineOf = ({ id, atMs, actor, action, subject, accountId, before, after }: AuditEntry) =>
  csvRow([
    String(id),
    iso(atMs),
    ...[actor, action, subject, accountId].map(plainText),
    ...[before, after].map((state) => (state ? plainText(JSON.stringify(state)) : '')),
  ])
