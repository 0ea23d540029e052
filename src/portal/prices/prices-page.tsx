import type { Corridor } from '~/domain/corridor.ts'
import type { ListedUpload, Upload, UploadDraft } from '~/domain/upload.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { ENGLISH } from '~/portal/words/words.ts'

/** Result of a request, and the errors of what was sent. */
export type Said = {
  readonly complaint?: string
  /** A pasted table that could not be read, to be corrected. */
  readonly pasted?: string
  readonly recorded?: Upload
  readonly corridors?: readonly Corridor[]
  /** The time when the pages of the market show all of them; null if they do already. */
  readonly shownMs?: number | null
  readonly withdrawn?: Upload
}

type Props = Member & {
  readonly drafts: readonly Omit<UploadDraft, 'content' | 'choices'>[]
  /** One more than is shown if there are earlier ones. */
  readonly uploads: readonly ListedUpload[]
  /** The time before which those listed were recorded; null for the newest. */
  readonly before: number | null
  /** The time zone chosen before; null if none was. */
  readonly timeZone: string | null
  readonly said: Said
}

export const UPLOADS_LISTED = 20

/** The page on which a table of prices is sent, above those sent before. */
export const pricesPage = (props: Props): Page => ({
  title: 'Record prices',
  path: PATHS.developer,
  scripts: ['prices'],
  status: props.said.complaint ? 422 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Record prices</h1>
        <p class="lead">
          Send a table as it is: Excel, CSV, or copied from a sheet or a web page. You see what it
          would record before anything is.
        </p>
      </div>
      <SaidNotice {...props.said} />
      <SendForm {...props} />
      <Drafts {...props} />
      <Uploads {...props} />
    </div>
  ),
})

export const countText = (count: number, noun = 'price'): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`

function SaidNotice({ recorded, corridors = [], shownMs = null, withdrawn }: Said) {
  if (withdrawn)
    return (
      <Notice kind="good">
        Withdrawn: the {countText(withdrawn.ids.length)} of {withdrawn.fileName} count nowhere any
        more. What held before them holds again.
      </Notice>
    )
  if (!recorded) return null
  const pairs = new Map(corridors.map(({ from, to }) => [`${from} to ${to}`, { from, to }]))
  return (
    <Notice kind="good" title={`${countText(recorded.ids.length)} recorded.`}>
      <p>
        <a href={uploadHref(PATHS.pricesUpload, recorded)}>See the rows</a>.{' '}
        {shownMs === null
          ? 'They are live, and on the market'
          : `They are live in the API now, and from ${ENGLISH.clockText(shownMs)} on the market, ` +
            'which shows each full hour'}
        {pairs.size > 0 && ': '}
        {[...pairs].slice(0, CORRIDORS_SHOWN).map(([name, { from, to }], i) => (
          <>
            {i > 0 && ', '}
            <a href={`${PATHS.board}?from=${from}&to=${to}`}>{name}</a>
          </>
        ))}
        {pairs.size > CORRIDORS_SHOWN && ` and ${pairs.size - CORRIDORS_SHOWN} more`}.
      </p>
    </Notice>
  )
}

const CORRIDORS_SHOWN = 6

export const uploadHref = (path: string, { id }: { readonly id: string }): string =>
  `${path}?upload=${id}`

const SendForm = ({ timeZone, said }: Props) => (
  <section class="stack-tight" aria-label="Send a table">
    {said.complaint && <Notice kind="bad">{said.complaint}</Notice>}
    <TokenForm action={PATHS.prices} send="Preview" hidden={{ time_zone: timeZone ?? '' }} hasFile>
      <div class="drop-zone" data-drop>
        <div class="field">
          <label for="file">Excel or CSV file</label>
          <input id="file" name="file" type="file" accept={ACCEPTED} aria-describedby="file-hint" />
          <p class="field-hint" id="file-hint">
            <span data-live hidden>
              Or drop it here.{' '}
            </span>
            At most 10,000 rows and 8 MiB.
          </p>
        </div>
        <div class="field">
          <label for="pasted">Or a pasted table</label>
          <textarea
            id="pasted"
            name="pasted"
            rows={4}
            spellcheck={false}
            aria-describedby="pasted-hint"
          >
            {said.pasted}
          </textarea>
          <p class="field-hint" id="pasted-hint">
            With the names of the columns in its first row. Provider, from, to and rate are needed.
          </p>
        </div>
      </div>
    </TokenForm>
    <p class="small">
      <a href={PATHS.pricesTemplate}>Download a template</a>{' '}
      <span class="muted">with your corridors: fill in the rates and send it.</span>
    </p>
  </section>
)

const ACCEPTED =
  '.xlsx,.csv,.tsv,.txt,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type Draft = Props['drafts'][number]

const DRAFT_COLUMNS: Column<Draft>[] = [
  { head: 'Table', cell: (draft) => <DraftName of={draft} /> },
  { head: 'Rows', class: 'number', cell: ({ rowCount }) => rowCount.toLocaleString('en') },
  { head: 'Sent by', cell: ({ person }) => <span class="long">{person}</span> },
  { head: 'When', cell: ({ createdMs }) => <Moment ms={createdMs} /> },
]

const DraftName = ({ of }: { of: Draft }) => (
  <a class="long" href={uploadHref(PATHS.pricesPreview, of)}>
    {of.fileName}
  </a>
)

const Drafts = ({ drafts }: Props) =>
  drafts.length > 0 && (
    <section class="stack-tight" aria-labelledby="drafts-title">
      <h2 id="drafts-title">Not recorded yet</h2>
      <RowTable
        label="Not recorded yet"
        columns={DRAFT_COLUMNS}
        rows={drafts}
        keyOf={({ id }) => id}
      />
    </section>
  )

const UPLOAD_COLUMNS: Column<ListedUpload>[] = [
  { head: 'Upload', cell: (upload) => <UploadName of={upload} /> },
  { head: 'Rows', class: 'number', cell: ({ rowCount }) => rowCount.toLocaleString('en') },
  {
    head: 'Sent by',
    cell: ({ person }) => <span class="long">{person ?? 'deleted account'}</span>,
  },
  { head: 'Recorded', cell: ({ recordedMs }) => <Moment ms={recordedMs} /> },
  { head: 'Withdraw', label: null, class: 'actions', cell: (upload) => <Withdraw of={upload} /> },
]

const UploadName = ({ of }: { of: ListedUpload }) => (
  <a class="long" href={uploadHref(PATHS.pricesUpload, of)}>
    {of.fileName}
  </a>
)

const Withdraw = ({ of }: { of: ListedUpload }) =>
  of.withdrawnMs === null ? (
    <a href={uploadHref(PATHS.withdrawPrices, of)}>
      Withdraw this upload<span class="visually-hidden"> {of.fileName}</span>
    </a>
  ) : (
    <span class="tag">withdrawn</span>
  )

function Uploads({ uploads, before }: Props) {
  const listed = uploads.slice(0, UPLOADS_LISTED)
  return (
    <section class="stack-tight" aria-labelledby="uploads-title">
      <h2 id="uploads-title">Uploads</h2>
      {listed.length === 0 ? (
        <p class="muted">Nothing was recorded from a table yet.</p>
      ) : (
        <RowTable label="Uploads" columns={UPLOAD_COLUMNS} rows={listed} keyOf={({ id }) => id} />
      )}
      <nav aria-label="Pages of uploads" class="actions">
        {before !== null && <a href={PATHS.prices}>Newest uploads</a>}
        {uploads.length > UPLOADS_LISTED && (
          <a href={`${PATHS.prices}?before=${listed.at(-1)!.recordedMs}`}>Earlier uploads</a>
        )}
      </nav>
    </section>
  )
}
