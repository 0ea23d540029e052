/** @jsxImportSource preact */
import { REASON_LENGTH_MAX } from '~/domain/observation.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Upload } from '~/domain/upload.ts'
import { offerWords } from '~/portal/board/offer-text.ts'
import { Field } from '~/portal/form.tsx'
import { moneyOf, priceText, rateText } from '~/portal/format.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import { questionPage } from '~/portal/member/question-page.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { ENGLISH } from '~/portal/words/words.ts'
import { Pager } from './pager.tsx'
import { countText, uploadHref } from './prices-page.tsx'

type Row = { readonly quote: Quote; readonly isWithdrawn: boolean }

type Props = {
  readonly upload: Upload
  readonly rows: readonly Row[]
  readonly page: number
  readonly pages: number
}

/** The prices of an upload, as they were recorded. */
export const uploadPage = ({ upload, rows, page, pages }: Props): Page => ({
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
        {rows.length === 0 && <p class="muted">They are too old to be kept.</p>}
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
  { head: 'Rate', class: 'number', cell: ({ quote }) => rateText(quote.rate) },
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
  fee === null || feeCurrency === null ? 'none said' : priceText(fee, moneyOf(feeCurrency))

const offerText = ({ offer }: Quote): string =>
  offer ? offerWords(ENGLISH, offer, false).join(', ') : ''

type Question = Member & { readonly upload: Upload; readonly isRefused?: boolean }

/** The question before an upload is withdrawn. */
export const withdrawPage = ({ pageRequest, upload, isRefused }: Question): Page =>
  questionPage({
    path: PATHS.developer,
    title: 'Withdraw this upload',
    ...(isRefused && { status: 400 }),
    form: {
      ...{ pageRequest, action: PATHS.withdrawPrices, isDangerous: true },
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
