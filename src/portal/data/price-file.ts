import { DAY_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { csvRecords } from '~/file/csv.ts'
import { linesOf } from '~/file/lines.ts'
import { takesGzip, zipped } from '~/http/coding.ts'
import { isHeld } from '~/http/entity-tag.ts'
import { type FileDeps, keptFile } from '~/http/file/making.ts'
import { streamOf } from '~/http/file/stream.ts'
import { PATHS } from '~/portal/paths.ts'
import { type PublicDeps, publicFile } from '~/portal/public-page.tsx'
import { beforeAll } from '~/service/file/day-file.ts'
import { type KeptFile, partsOf } from '~/service/file/kept-file.ts'
import {
  lastSettledDayMs,
  periodOf,
  type Quarter,
  quarterAt,
  quarterName,
  RECENT_DAYS,
} from '~/service/file/period.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { readPricesQuery } from '~/wire/file/prices.ts'
import { FirstObservation } from './observed.ts'

export const PRICES_PATH = `${PATHS.data}/prices.csv`

/** Each file is read as a whole to check it before it is sent. */
const READING = {
  runningMax: 2,
  waitingMax: 20,
  refusal: 'too many files are being requested; retry shortly',
}

type Query = ReturnType<typeof readPricesQuery>

/** Prices at the end of a day, all or those observed in a quarter, without a key. */
export function priceFileRoute(deps: PublicDeps & FileDeps) {
  const reading = new WorkLimit(READING)
  const first = new FirstObservation(deps.files)
  return publicFile(deps, PRICES_PATH, async ({ request, nowMs }) => {
    const query = readPricesQuery(request.url, nowMs)
    const file = await reading.run(async () => {
      await refuseOther(deps.files, query, { nowMs, firstMs: await first.at(nowMs) })
      return editionOf(deps, query, nowMs)
    })
    return replyOf(deps, request, { query, file })
  })
}

/** The address of all prices at the end of a day, of which the content never changes. */
export const lastingHref = (day: string): string => `${PRICES_PATH}?until=${day}&edition=1`

type Now = { readonly nowMs: number; readonly firstMs: number | null }

/**
 * Throws for a day whose file would have to be created although none of our pages links to it.
 * Creating one takes a second or so of the database, delays callers with a key, and displaces the
 * oldest of the stored files; so without a key only recent days and ends of quarters are created.
 */
async function refuseOther(files: FileDeps['files'], { until }: Query, { nowMs, firstMs }: Now) {
  const { startMs, endMs } = periodOf(until)!
  if (firstMs !== null && firstMs >= endMs) throw beforeAll(until)
  const isRecent = startMs > lastSettledDayMs(nowMs) - RECENT_DAYS * DAY_MS
  if (isRecent || quarterAt(startMs).endMs === endMs || (await files.find(until, 1))) return
  throw new ServiceError(
    'unknown_file',
    `${until} has no file; request one of the last ${RECENT_DAYS} days or the last day ` +
      `of a quarter, or with a key for /api/v1/files/${until}.csv.gz`,
  )
}

async function editionOf(deps: FileDeps, { until, edition }: Query, nowMs: number) {
  const asked = { period: periodOf(until)!, nowMs }
  const file = await keptFile(deps, { ...asked, edition: edition ?? 1 })
  if (edition !== null || file.editions === 1) return file
  return keptFile(deps, { ...asked, edition: file.editions })
}

type Found = { readonly query: Query; readonly file: KeptFile }

/** The file as it is read from the database, so that no file is in memory as a whole. */
function replyOf({ files }: FileDeps, request: Request, { query, file }: Found): Response {
  const { quarter, until, isForGood } = query
  const part = quarter ? `-${quarterName(quarter)}` : ''
  const suffix = file.edition > 1 ? `-edition-${file.edition}` : ''
  const etag = `W/"${file.digest}${part}"`
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="corridor-prices${part}-${until}${suffix}.csv"`,
    'cache-control': isForGood ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    ...{ etag, vary: 'accept-encoding' },
  }
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers })
  const isZipped = takesGzip(request)
  const packed = streamOf(partsOf(files, file))
  const body = isZipped && !quarter ? packed : unpacked(packed, { quarter, isZipped })
  return new Response(body, {
    headers: { ...headers, ...(isZipped && { 'content-encoding': 'gzip' }) },
  })
}

type Form = { readonly quarter: Quarter | null; readonly isZipped: boolean }

function unpacked(packed: ReadableStream<Uint8Array>, { quarter, isZipped }: Form) {
  const unzip = new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>
  const all = packed.pipeThrough(unzip)
  const wanted = quarter ? streamOf(rowsSince(all, quarter.startMs)) : all
  return isZipped ? zipped(wanted) : wanted
}

const TIME = 'last_updated'

/** The first line of a CSV, and those of prices observed since a time. */
async function* rowsSince(bytes: AsyncIterable<Uint8Array>, sinceMs: number) {
  const encoder = new TextEncoder()
  let column: number | null = null
  for await (const records of csvRecords(linesOf(bytes))) {
    let text = ''
    for (const { fields, text: line } of records) {
      const isEarlier = column !== null && Date.parse(fields?.[column] ?? '') < sinceMs
      column ??= fields?.indexOf(TIME) ?? null
      if (!isEarlier) text += `${line}\r\n`
    }
    if (text !== '') yield encoder.encode(text)
  }
}
