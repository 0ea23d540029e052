import { REASON_LENGTH_MAX } from '~/domain/observation.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Upload } from '~/domain/upload.ts'
import type { Route } from '~/http/route.ts'
import { offerWords } from '~/portal/board/offer-text.ts'
import { Field } from '~/portal/form.tsx'
import type { Member } from '~/portal/member/member-pages.ts'
import type { FormFields, PageAnswer, PageReply } from '~/portal/member/page-request.tsx'
import { questionPage } from '~/portal/member/question-page.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { moneyOf } from '~/portal/words/format.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { withdrawUpload } from '~/service/recording/withdraw.ts'
import { Pager } from './pager.tsx'
import { countText, uploadHref } from './prices-page.tsx'
import { isUuid, type PricesDeps, treasuryPages } from './treasurer.ts'

type Row = { readonly quote: Quote; readonly isWithdrawn: boolean }

type Props = {
  readonly upload: Upload
  readonly rows: readonly Row[]
  readonly page: number
  readonly pages: number
}

const uploadPage = ({ upload, rows, page, pages }: Props): Page => ({
  title: `Upload ${upload.fileName}`,
  path: PATHS.developer,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1 class="long">{upload.fileName}</h1>
        <p class="lead">
          {countText(upload.ids.length)}, recorded <Moment ms={upload.recordedMs} /> by{' '}
          {upload.person ?? 'a deleted account'}
        </p>
        {upload.withdrawnMs !== null && (
          <Notice kind="warn">
            Withdrawn <Moment ms={upload.withdrawnMs} />: these prices count nowhere.
          </Notice>
        )}
        <p class="actions">
          <a href={PATHS.prices}>All uploads</a>
          {upload.withdrawnMs === null && (
            <a href={uploadHref(PATHS.withdrawPrices, upload)}>Withdraw this upload</a>
          )}
        </p>
      </div>
      <section class="stack-tight" aria-label="Prices">
        <RowTable
          label="Prices of this upload"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ quote }) => quote.id}
        />
        {rows.length === 0 && <p class="muted">They were deleted for their age.</p>}
        <Pager
          label="Pages of prices"
          {...{ page, pages }}
          href={uploadHref(PATHS.pricesUpload, upload)}
        />
      </section>
    </div>
  ),
})

const COLUMNS: Column<Row>[] = [
  { head: 'Provider', cell: ({ quote }) => <span class="long">{quote.providerId}</span> },
  { head: 'Corridor', cell: ({ quote }) => <CorridorLink of={quote} /> },
  { head: 'Rate', class: 'number', cell: ({ quote }) => ENGLISH.rateText(quote.rate) },
  { head: 'Fee', class: 'number', cell: ({ quote }) => feeText(quote) },
  { head: 'Offer', cell: ({ quote }) => offerText(quote) },
  { head: 'From', cell: ({ quote }) => <Moment ms={quote.atMs} /> },
  {
    head: 'State',
    label: null,
    cell: ({ isWithdrawn }) => isWithdrawn && <span class="tag">withdrawn</span>,
  },
]

const CorridorLink = ({ of: { from, to } }: { of: Quote }) => (
  <a href={`${PATHS.board}?from=${from}&to=${to}`}>
    {from} to {to}
  </a>
)

const feeText = ({ fee, feeCurrency }: Quote): string =>
  fee === null || feeCurrency === null ? 'not stated' : ENGLISH.priceText(fee, moneyOf(feeCurrency))

const offerText = ({ offer }: Quote): string =>
  offer ? offerWords(ENGLISH, offer, false).join(', ') : ''

const withdrawPage = (upload: Upload, isRefused = false): Page =>
  questionPage({
    path: PATHS.developer,
    title: 'Withdraw this upload',
    ...(isRefused && { status: 400 }),
    form: {
      ...{ action: PATHS.withdrawPrices, isDangerous: true },
      ...{ send: `Withdraw ${countText(upload.ids.length)}`, hidden: { upload: upload.id } },
      children: (
        <Field
          name="reason"
          label="Why, for everyone to read"
          isRequired
          error={isRefused ? `Say why, in at most ${REASON_LENGTH_MAX} characters.` : undefined}
          input={{ autocomplete: 'off', maxLength: REASON_LENGTH_MAX }}
        />
      ),
    },
    ...{ back: PATHS.prices, backText: 'Keep them' },
    children: (
      <p>
        All {countText(upload.ids.length)} of <strong class="long">{upload.fileName}</strong>,
        recorded <Moment ms={upload.recordedMs} />, then count nowhere any more. What held before
        them holds again. They stay in the history, marked as withdrawn, with your reason.
      </p>
    ),
  })

const UPLOAD_ROWS_SHOWN = 200

/** The pages of one upload that was recorded: its rows, and its end. */
export function uploadRoutes(deps: PricesDeps): Route[] {
  const page = treasuryPages(deps)
  return [
    ...page(PATHS.pricesUpload, {
      get: (_, member) => withUpload(deps, member, null, (upload) => rows(deps, member, upload)),
    }),
    ...page(PATHS.withdrawPrices, {
      get: (_, member) =>
        withUpload(deps, member, null, (upload) =>
          upload.withdrawnMs === null ? { page: withdrawPage(upload) } : { redirect: PATHS.prices },
        ),
      post: (_, member, form) =>
        withUpload(deps, member, form, (upload) => withdraw(deps, member, { upload, form })),
    }),
  ]
}

/** An upload of the person's account, or any for an admin; others lead back to the list. */
async function withUpload(
  { uploading }: PricesDeps,
  { pageRequest, person: { account } }: Member,
  form: FormFields | null,
  answer: (upload: Upload) => PageReply,
): Promise<PageAnswer> {
  const id = form ? form.text('upload') : (pageRequest.url.searchParams.get('upload') ?? '')
  const upload = isUuid(id) ? await uploading.uploads.upload(id) : null
  const isSeen = upload && (upload.accountId === account.id || account.role === 'admin')
  return isSeen ? answer(upload) : { redirect: PATHS.prices }
}

async function rows(deps: PricesDeps, member: Member, upload: Upload): Promise<PageAnswer> {
  const asked = Math.trunc(Number(member.pageRequest.url.searchParams.get('page')))
  const pages = Math.ceil(upload.ids.length / UPLOAD_ROWS_SHOWN)
  const page = asked >= 1 && asked <= pages ? asked : 1
  const ids = upload.ids.slice((page - 1) * UPLOAD_ROWS_SHOWN, page * UPLOAD_ROWS_SHOWN)
  const shown = await deps.uploading.uploads.rowsOf({ ...upload, ids })
  return { page: uploadPage({ upload, rows: shown, page, pages }) }
}

type Sent = { readonly upload: Upload; readonly form: FormFields }

async function withdraw(
  deps: PricesDeps,
  member: Member,
  { upload, form }: Sent,
): Promise<PageAnswer> {
  const reason = form.text('reason').trim()
  if (reason === '' || reason.length > REASON_LENGTH_MAX || !reason.isWellFormed())
    return { page: withdrawPage(upload, true) }
  const { account } = member.person
  await withdrawUpload({ ...deps, store: deps.uploading.store }, account, { upload, reason })
  return { redirect: `${PATHS.prices}?said=withdrawn&upload=${upload.id}` }
}
