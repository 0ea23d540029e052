import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Quote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import { DRAFT_MS_MAX, DRAFTS_MAX, type UploadDraft } from '~/domain/upload.ts'
import { FileFault } from '~/file/csv.ts'
import { workbookOf } from '~/file/workbook.ts'
import type { Route } from '~/http/route.ts'
import { downloadReply } from '~/portal/download.ts'
import type { Member, MemberForm } from '~/portal/member/member-pages.ts'
import { PATHS } from '~/portal/paths.ts'
import { allowedProviders } from '~/service/access.ts'
import { draftsSinceMs, seenAccountId } from '~/service/recording/upload.ts'
import { firstChoices } from './choices.ts'
import { previewRoutes } from './preview-routes.tsx'
import { pricesPage, type Said, UPLOADS_LISTED } from './prices-page.tsx'
import { isUuid, type PricesDeps, treasuryPages } from './treasurer.ts'
import { uploadRoutes } from './upload.tsx'

const UPLOAD_BYTES_MAX = 8 * 1_048_576
/** Room for the fields of the form and their separators. */
const FORM_BYTES = 65_536
const NAME_LENGTH_MAX = 120
const BEFORE = /^\d{1,15}$/

/** The pages on which people record prices from tables. */
export function pricesRoutes(deps: PricesDeps): Route[] {
  const page = treasuryPages(deps)
  return [
    ...page(PATHS.prices, {
      get: (_, member) => shown(deps, member, null),
      post: received,
      files: {
        bytesMax: UPLOAD_BYTES_MAX + FORM_BYTES,
        tooLarge: (_, member) => shown(deps, member, { complaint: TOO_LARGE }),
      },
    }),
    ...page(PATHS.pricesTemplate, {
      get: (_, member) => ({ response: templateReply(deps, member) }),
    }),
    ...previewRoutes(deps),
    ...uploadRoutes(deps),
  ]
}

const TOO_LARGE = 'It is larger than 8 MiB. Divide it, or send only the sheet with the prices.'

/** The page with the form, what is waiting to be recorded, and what was recorded. */
async function shown(deps: PricesDeps, member: Member, said: Said | null) {
  const { pageRequest, person } = member
  const { uploads } = deps.uploading
  const { account } = person
  const { searchParams } = pageRequest.url
  const text = searchParams.get('before') ?? ''
  const before = BEFORE.test(text) ? Number(text) : null
  const ask = { accountId: seenAccountId(account), beforeMs: before, limit: UPLOADS_LISTED + 1 }
  const [drafts, listed, layouts] = await Promise.all([
    uploads.drafts({ accountId: account.id, sinceMs: draftsSinceMs(pageRequest.nowMs) }),
    uploads.uploads(ask),
    uploads.layouts(account.id),
  ])
  const timeZone = layouts.find(({ choices }) => choices.timeZone)?.choices.timeZone ?? null
  const done = said ?? (await saidOf(deps, member))
  return {
    page: pricesPage({ ...member, drafts, uploads: listed, before, timeZone, said: done }),
  }
}

/** Result of the last action, as the address says. */
async function saidOf({ uploading }: PricesDeps, { pageRequest, person }: Member): Promise<Said> {
  const { searchParams } = pageRequest.url
  const id = searchParams.get('upload') ?? ''
  const said = searchParams.get('said')
  if (said === 'expired') return { complaint: EXPIRED }
  const upload = isUuid(id) ? await uploading.uploads.upload(id) : null
  if (!upload || (upload.accountId !== person.account.id && person.account.role !== 'admin'))
    return {}
  if (said === 'withdrawn') return { withdrawn: upload }
  if (said !== 'recorded') return {}
  const first = { ...upload, ids: upload.ids.slice(0, CORRIDORS_LOOKED_AT) }
  const rows = await uploading.uploads.rowsOf(first)
  const corridors = rows.map(({ quote }) => quote)
  const hourMs = hourStartMs(pageRequest.nowMs)
  const isShown = upload.untilMs <= hourMs
  return { recorded: upload, corridors, shownMs: isShown ? null : hourMs + HOUR_MS }
}

/** The number of rows of an upload searched for corridors. */
const CORRIDORS_LOOKED_AT = 200

const EXPIRED =
  `That preview is gone: up to ${DRAFTS_MAX} are kept, each for ${DRAFT_MS_MAX / HOUR_MS} hours. ` +
  'Send the table again.'

/** Keeps the table of a form as a draft, and leads to its preview. */
const received: MemberForm<PricesDeps> = async (deps, member, form) => {
  const { uploads, read } = deps.uploading
  const { person, pageRequest } = member
  const { account } = person
  const file = form.file('file')
  const pasted = form.text('pasted')
  const hasFile = file !== null && (file.bytes.length > 0 || pasted.trim() === '')
  const bytes = hasFile ? file.bytes : new TextEncoder().encode(pasted)
  try {
    if (!hasFile && pasted.trim() === '') throw new FileFault('Choose a file, or paste a table.')
    if (bytes.length > UPLOAD_BYTES_MAX) throw new FileFault(TOO_LARGE)
    const { grid, content } = await read(bytes)
    const layouts = await uploads.layouts(account.id)
    const choices = firstChoices(grid, { account, layouts, timeZone: form.text('time_zone') })
    const draft: UploadDraft = {
      ...{ id: crypto.randomUUID(), accountId: account.id, person: person.email },
      fileName: hasFile ? file.name.slice(0, NAME_LENGTH_MAX) : PASTED,
      ...{ createdMs: pageRequest.nowMs, rowCount: grid.rows.length, content, choices },
    }
    await uploads.keepDraft(draft)
    return { redirect: `${PATHS.pricesPreview}?upload=${draft.id}` }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    const complaint = hasFile
      ? `${file.name.slice(0, NAME_LENGTH_MAX)}: ${error.message}`
      : error.message
    const isShort = pasted.length <= PASTED_SHOWN_MAX
    return shown(deps, member, { complaint, pasted: hasFile || !isShort ? '' : pasted })
  }
}

const PASTED = 'Pasted table'
/** A longer table is not shown again when it is refused. */
const PASTED_SHOWN_MAX = 100_000

const ROWS_MAX = 10_000
const COLUMNS = [
  'provider_id',
  'from',
  'to',
  'rate',
  'fee',
  'fee_currency',
  'effective_from',
] as const
/** Columns added if an offer of the template needs one to be distinguished. */
const OF_OFFERS = [
  ['amount_min', 'amountMin'],
  ['amount_max', 'amountMax'],
  ['source_country', 'sourceCountry'],
  ['target_country', 'targetCountry'],
  ['pay_in', 'payIn'],
  ['pay_out', 'payOut'],
  ['channel', 'channel'],
  ['service', 'service'],
] as const

/**
 * A workbook with a row for the last price of each offer that the account may record, without its
 * rate; official prices only for accounts that are limited to their providers.
 */
function templateReply({ memory }: PricesDeps, { person }: Member): Response {
  const { quotes, catalogue } = memory.current
  const allowed = allowedProviders(person.account)
  const own: Quote[] = []
  for (const quote of quotes.allQuotes()) {
    const isOwn = allowed ? allowed.includes(quote.providerId) : quote.rateType !== 'official'
    if (isOwn && catalogue.provider(quote.providerId) && own.length < ROWS_MAX) own.push(quote)
  }
  const name = ({ providerId, from, to }: Quote) => `${providerId} ${from} ${to}`
  own.sort((a, b) => compareText(name(a), name(b)) || a.id - b.id)
  return downloadReply(new Uint8Array(workbookOf('Prices', rowsOf(own))), {
    name: 'corridor-prices.xlsx',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  })
}

/** The header, and a row for each offer with the columns in which these offers differ. */
function rowsOf(quotes: readonly Quote[]): (string | number)[][] {
  const said = OF_OFFERS.filter(([, name]) => quotes.some(({ offer }) => offer?.[name] != null))
  return [
    [...COLUMNS, ...said.map(([column]) => column)],
    ...quotes.map(({ providerId, from, to, feeCurrency, offer }) => [
      ...[providerId, from, to, '', '', feeCurrency ?? '', ''],
      ...said.map(([, name]) => {
        const value = offer?.[name] ?? ''
        return typeof value === 'object' ? value.join('|') : value
      }),
    ]),
  ]
}
