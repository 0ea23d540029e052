import type { AuditEntry, AuditFilter, AuditPage } from '~/domain/audit.ts'
import { csvLine, plainText } from '~/wire/csv-line.ts'
import { iso } from '~/wire/present.ts'

const COLUMNS = ['id', 'at', 'actor', 'action', 'subject', 'account_id', 'before', 'after']

/** The number of entries that are read at once; no more of the log is ever held. */
const BATCH_ENTRIES = 500

type Changes = (page: AuditPage) => Promise<readonly AuditEntry[]>

/**
 * The entries that fit as CSV, newest first, read from the database as fast as they are taken.
 * Rejects where the first cannot be read; a later failure breaks the transfer off.
 */
export async function logFile(changes: Changes, filter: AuditFilter): Promise<Response> {
  const read = (beforeId: number | null) => changes({ filter, beforeId, limit: BATCH_ENTRIES })
  let next = await read(null)
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(`${csvLine(COLUMNS)}\r\n`)),
    async pull(controller) {
      const batch = next
      if (batch.length > 0) controller.enqueue(encoder.encode(batch.map(lineOf).join('')))
      if (batch.length < BATCH_ENTRIES) controller.close()
      else next = await read(batch.at(-1)!.id)
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="corridor-changes.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

const lineOf = ({ id, atMs, actor, action, subject, accountId, before, after }: AuditEntry) =>
  `${csvLine([
    String(id),
    iso(atMs),
    ...[actor, action, subject, accountId].map(plainText),
    ...[before, after].map((state) => (state ? plainText(JSON.stringify(state)) : '')),
  ])}\r\n`
