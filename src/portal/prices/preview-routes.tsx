import { ServiceError } from '~/domain/errors.ts'
import type { UploadDraft } from '~/domain/upload.ts'
import type { Route } from '~/http/route.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import type { FormFields, PageAnswer, PageReply } from '~/portal/member/page-request.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { draftsSinceMs, recordUpload } from '~/service/recording/upload.ts'
import { chosenIn, layoutOf } from './choices.ts'
import { gridIn, type Preview, previewOf } from './preview.ts'
import { previewPage } from './preview-page.tsx'
import type { Again } from './preview-props.ts'
import { isUuid, type PricesDeps, treasuryPages } from './treasurer.ts'

/** The page that shows a table before its prices are recorded, and the forms on it. */
export function previewRoutes(deps: PricesDeps): Route[] {
  const page = treasuryPages(deps)
  return [
    ...page(PATHS.pricesPreview, {
      get: (_, member) => withDraft(deps, member, null, (draft) => look(deps, member, draft)),
      post: (_, member, form) =>
        withDraft(deps, member, form, (draft) => choose(deps, member, { draft, form })),
    }),
    ...page(PATHS.recordPrices, {
      get: () => ({ redirect: PATHS.prices }),
      post: (_, member, form) =>
        withDraft(deps, member, form, (draft) => record(deps, member, { draft, form })),
    }),
  ]
}

const previewPath = ({ id }: Pick<UploadDraft, 'id'>): string =>
  `${PATHS.pricesPreview}?upload=${id}`

const recordedPath = (id: string): string => `${PATHS.prices}?said=recorded&upload=${id}`

/** The draft that a form or an address names; one that was recorded leads to what came of it. */
async function withDraft(
  { uploading: { uploads } }: PricesDeps,
  { pageRequest, person }: Member,
  form: FormFields | null,
  answer: (draft: UploadDraft) => PageReply,
): Promise<PageAnswer> {
  const id = form ? form.text('upload') : (pageRequest.url.searchParams.get('upload') ?? '')
  if (!isUuid(id)) return { redirect: PATHS.prices }
  const accountId = person.account.id
  const recorded = await uploads.upload(id)
  if (recorded?.accountId === accountId) return { redirect: recordedPath(id) }
  const draft = await uploads.draft(id, { accountId, sinceMs: draftsSinceMs(pageRequest.nowMs) })
  return draft ? answer(draft) : { redirect: `${PATHS.prices}?said=expired` }
}

async function look(
  deps: PricesDeps,
  member: Member,
  draft: UploadDraft,
  again: Again = {},
): Promise<PageAnswer> {
  const { account } = member.person
  const grid = gridIn(draft)
  const preview = await previewOf(readingDeps(deps), { grid, choices: draft.choices, account })
  return shown(deps, member, { draft, preview, again })
}

const readingDeps = (deps: PricesDeps) => ({ ...deps, store: deps.uploading.store })

type Shown = { readonly draft: UploadDraft; readonly preview: Preview; readonly again: Again }

function shown({ memory }: PricesDeps, member: Member, props: Shown) {
  const { providers } = memory.current.catalogue
  return { page: previewPage({ ...member, ...props, providers }) }
}

type Sent = { readonly draft: UploadDraft; readonly form: FormFields }

async function choose(
  deps: PricesDeps,
  member: Member,
  { draft, form }: Sent,
): Promise<PageAnswer> {
  const isAccepting = form.text('only') === 'accept'
  const { choices, isTwice } = isAccepting
    ? { choices: { ...draft.choices, isAccepted: true }, isTwice: false }
    : chosenIn(form, gridIn(draft))
  if (isTwice) return look(deps, member, { ...draft, choices }, { complaint: TWICE })
  await deps.uploading.uploads.chooseDraft({ ...draft, choices })
  return { redirect: previewPath(draft) }
}

const TWICE =
  'Two columns cannot say the same. Nothing was changed: choose another for one of them.'

/** Records a table once if it is as it was shown; else it is shown again. */
async function record(
  deps: PricesDeps,
  member: Member,
  { draft, form }: Sent,
): Promise<PageAnswer> {
  const { uploads, store } = deps.uploading
  const { account } = member.person
  const { choices } = draft
  const grid = gridIn(draft)
  const preview = await previewOf(readingDeps(deps), { grid, choices, account })
  const observations = preview.rows.flatMap(({ observation }) => observation ?? [])
  const isWhole = preview.questions.length === 0 && observations.length === preview.rows.length
  if (!isWhole || preview.digest !== form.text('digest')) {
    if (await uploads.upload(draft.id)) return { redirect: recordedPath(draft.id) }
    const changedAfterId = Number(form.text('newest')) || 0
    return shown(deps, member, { draft, preview, again: { changedAfterId } })
  }
  try {
    await recordUpload({ ...deps, store }, { draft, account, observations })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { page: unrecordedPage(error, previewPath(draft)) }
  }
  await uploads.rememberLayout(account.id, layoutOf(grid, choices), deps.clock.now())
  await uploads.dropDraft(draft)
  return { redirect: recordedPath(draft.id) }
}

const STATUSES: Readonly<Partial<Record<ServiceError['code'], number>>> = {
  invalid_rows: 422,
  forbidden: 403,
}

/** The page for prices that were not recorded, or of which that is not known. */
const unrecordedPage = ({ code, message }: ServiceError, preview: string): Page =>
  narrowPage({
    path: PATHS.prices,
    title: 'Not recorded yet',
    status: STATUSES[code] ?? 503,
    children: (
      <>
        <Notice kind="bad">{message.split(';')[0]}.</Notice>
        <p>
          <a href={preview}>Open the preview again</a>. It leads to the result if the prices were
          recorded; otherwise record them from there. They are never recorded twice.
        </p>
      </>
    ),
  })
