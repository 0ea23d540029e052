import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'
import { presentSource } from '~/wire/status/source.ts'
import { tableLines } from '../table.ts'
import { printResult, type Terminal, withExisting } from '../terminal.ts'

/** The command `sources status`. */
export function addSourceStatus(sources: Command, terminal: Terminal): void {
  sources
    .command('status')
    .description("show each bank's last fetch, newest day and missed days")
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const nowMs = systemClock.now()
      const records = await withExisting(terminal, (database) =>
        createSourceStateStore(database).load(),
      )
      const result = records.map((record) => presentSource(record, nowMs))
      printResult(terminal, { isJson: json, result, lines: linesOf(records, nowMs) })
    })
}

function linesOf(records: readonly SourceRecord[], nowMs: number): string[] {
  if (records.length === 0) return ['no bank was asked yet']
  const rows = records.map((record) => {
    const { name, newest, missed_days, is_late, last_success, reason, refused } = presentSource(
      record,
      nowMs,
    )
    return [
      name,
      record.isFailing ? 'failing' : 'works',
      last_success ?? 'never',
      newest ?? '-',
      missed_days === null ? '-' : `${missed_days}${is_late ? ', late' : ''}`,
      [reason, ...refused].filter(Boolean).join('; ') || '-',
    ]
  })
  return tableLines([
    ['source', 'state', 'last success', 'newest day', 'days missed', 'reason'],
    ...rows,
  ])
}
