import { TokenForm } from '~/portal/member/token-form.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { Pager } from './pager.tsx'
import { isMoved, MOVE_PCT_MAX, type Preview, type PreviewRow } from './preview.ts'
import { isChanged, type PreviewProps } from './preview-props.ts'
import { PreviewTable } from './preview-table.tsx'
import { countText, uploadHref } from './prices-page.tsx'
import { Settings } from './settings.tsx'

const ROWS_SHOWN = 100

/** The page that shows what a table would record, with every doubt in its place. */
export const previewPage = (props: PreviewProps): Page => ({
  title: `Preview of ${props.draft.fileName}`,
  path: PATHS.developer,
  status: props.again.complaint || props.again.changedAfterId !== undefined ? 409 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1 class="long">{props.draft.fileName}</h1>
        <p class="lead">
          {countText(props.preview.rows.length, 'row')}. Nothing is recorded yet.{' '}
          <a href={PATHS.prices}>Send another table</a>
        </p>
        {props.preview.grid.notes.map((note) => (
          <Notice key={note} kind="plain">
            {note}
          </Notice>
        ))}
        <Outcome {...props} />
      </div>
      <Settings {...props} />
      <Rows {...props} />
    </div>
  ),
})

/** Outcome of the form, the open questions, or the button that records. */
function Outcome(props: PreviewProps) {
  const { preview, again } = props
  const changed = preview.rows.filter(({ last }) => isChanged(last, again)).length
  return (
    <>
      {again.complaint && <Notice kind="bad">{again.complaint}</Notice>}
      {again.changedAfterId !== undefined && (
        <Notice kind="bad" title="Nothing was recorded: prices changed meanwhile.">
          {changed > 0
            ? `${countText(changed, 'live price')} below changed since you looked. `
            : 'What this page shows is not what it showed before. '}
          Look again, then record.
        </Notice>
      )}
      {preview.questions.length > 0 && (
        <Notice kind="warn" title="Before anything can be recorded:">
          <ul class="bullets">
            {preview.questions.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Faults {...props} />
      <Doubts {...props} />
      {!again.complaint && preview.questions.length + wrongIn(preview).length === 0 && (
        <Record {...props} />
      )}
    </>
  )
}

const wrongIn = ({ rows }: Preview) => rows.filter(({ faults }) => faults.length > 0)

function Faults({ preview, draft }: PreviewProps) {
  const wrong = wrongIn(preview).length
  if (wrong === 0 || preview.questions.length > 0) return null
  const { implausibleCount } = preview
  return (
    <Notice kind="bad" title={`${countText(wrong, 'row')} cannot be recorded, so none is.`}>
      <p>
        Each is marked below. Correct the table and <a href={PATHS.prices}>send it again</a>.
      </p>
      {implausibleCount > 0 && (
        <TokenForm
          action={PATHS.pricesPreview}
          send={`Accept ${countText(implausibleCount, 'implausible rate')}`}
          hidden={{ upload: draft.id, only: 'accept' }}
          look="button button-quiet"
        />
      )}
    </Notice>
  )
}

/** Prices to look at twice, of a table that can be recorded. */
function Doubts({ preview }: PreviewProps) {
  const count = (is: (row: PreviewRow) => boolean) => preview.rows.filter(is).length
  const said: (string | false)[] = [
    counted(
      count(isSuspect),
      'is suspect: far from the mid, and never shown as the best',
      'are suspect: far from the mid, and never shown as the best',
    ),
    counted(count(isMoved), `moved more than ${MOVE_PCT_MAX}% from the last price`),
    counted(
      count(({ isOlder }) => isOlder),
      'is older than the live price, and goes into the history only',
      'are older than the live prices, and go into the history only',
    ),
    counted(
      count(({ isRepeated }) => isRepeated),
      'is repeated further down: the last one counts',
      'are repeated further down: the last ones count',
    ),
  ]
  const doubts = said.filter((text) => text !== false)
  return (
    doubts.length > 0 && (
      <Notice kind="warn" title="Look at these twice:">
        <ul class="bullets">
          {doubts.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Notice>
    )
  )
}

const counted = (count: number, one: string, more = one): string | false =>
  count > 0 && `${countText(count)} ${count === 1 ? one : more}.`

const isSuspect = ({ suspect }: PreviewRow): boolean => suspect !== null

const Record = ({ draft, preview }: PreviewProps) => (
  <TokenForm
    action={PATHS.recordPrices}
    send={`Record ${countText(preview.rows.length)}`}
    hidden={{
      upload: draft.id,
      digest: preview.digest,
      newest: String(preview.newestId),
    }}
  />
)

const VIEWS: { name: string; text: string; has(row: PreviewRow): boolean }[] = [
  { name: 'wrong', text: 'To correct', has: ({ faults }) => faults.length > 0 },
  { name: 'suspect', text: 'Suspect', has: isSuspect },
  { name: 'moved', text: `Moved over ${MOVE_PCT_MAX}%`, has: isMoved },
  { name: 'all', text: 'All rows', has: () => true },
]

function Rows(props: PreviewProps) {
  const { preview, draft, pageRequest } = props
  const { searchParams } = pageRequest.url
  const views = VIEWS.map((view) => ({ ...view, rows: preview.rows.filter(view.has) }))
  const filled = views.filter(({ rows }) => rows.length > 0)
  const asked = filled.find(({ name }) => name === searchParams.get('show'))
  const view =
    asked ??
    (preview.questions.length > 0
      ? filled.at(-1)!
      : filled.find(({ name }) => name === 'wrong' || name === 'all')!)
  const pages = Math.ceil(view.rows.length / ROWS_SHOWN)
  const wanted = Math.trunc(Number(searchParams.get('page')))
  const page = wanted >= 1 && wanted <= pages ? wanted : 1
  const href = `${uploadHref(PATHS.pricesPreview, draft)}&show=${view.name}`
  return (
    <section class="stack-tight" aria-labelledby="rows-title" id="rows">
      <h2 id="rows-title">What would be recorded</h2>
      {filled.length > 1 && (
        <nav aria-label="Rows to show">
          <ul class="tabs">
            {filled.map(({ name, text, rows }) => (
              <li key={name}>
                <a
                  href={`${uploadHref(PATHS.pricesPreview, draft)}&show=${name}#rows`}
                  aria-current={name === view.name ? 'true' : undefined}
                >
                  {text} ({rows.length.toLocaleString('en')})
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <PreviewTable {...props} rows={view.rows.slice((page - 1) * ROWS_SHOWN, page * ROWS_SHOWN)} />
      <Pager label="Pages of rows" {...{ page, pages, href }} />
    </section>
  )
}
