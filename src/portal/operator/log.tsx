/** @jsxImportSource preact */
import type { AuditEntry, Facts } from '~/domain/audit.ts'
import { momentText } from '~/portal/format.ts'
import { Moment } from '~/portal/moment.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { TableFrame } from '~/portal/table-frame.tsx'
import { Places } from './operator.tsx'

export const LOG_PAGE = 50

type Props = { readonly entries: readonly AuditEntry[]; readonly isWhole: boolean }

/** The log of changes with the person behind each, newest first. */
export const logPage = ({ entries, isWhole }: Props): Page => ({
  title: 'Changes',
  path: PATHS.operator,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Changes</h1>
        <Places current={PATHS.log} />
        <p class="lead">
          Every change of an account or a key, from these pages and from the command line. Entries
          can be added, and never changed or removed.
        </p>
      </div>
      {entries.length === 0 ? (
        <p class="muted">Nothing was changed yet.</p>
      ) : (
        <TableFrame label="Changes">
          <table class="table table-rows">
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">Of</th>
                <th scope="col">Before and after</th>
                <th scope="col">By</th>
                <th scope="col">When</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {!isWhole && (
        <p>
          <a href={`${PATHS.log}?before=${entries.at(-1)!.id}`}>Earlier changes</a>
        </p>
      )}
    </div>
  ),
})

const Row = ({ entry }: { entry: AuditEntry }) => (
  <tr>
    <th scope="row" class="nowrap">
      {entry.action}
    </th>
    <td data-label="Of">
      <a class="long" href={`${PATHS.account}?id=${entry.accountId}`}>
        {entry.subject}
      </a>
    </td>
    <td data-label="Change">
      <span class="long">{differenceText(entry)}</span>
    </td>
    <td data-label="By">
      <span class="long">{entry.actor}</span>
    </td>
    <td data-label="When">
      <Moment ms={entry.atMs} />
    </td>
  </tr>
)

/** The members that differ, as `plan free → pro`; only the new ones for something new. */
function differenceText({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const names = Object.keys(after ?? before ?? {})
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
  return INSTANT.test(fact) ? momentText(Date.parse(fact)) : fact
}
