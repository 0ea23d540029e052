import { REASON_LENGTH_MAX } from '~/domain/observation.ts'
import type { Upload } from '~/domain/upload.ts'
import type { Route } from '~/http/route.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import type { FormFields, PageAnswer, PageReply } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import { withdrawUpload } from '~/service/recording/withdraw.ts'
import { isUuid, type PricesDeps, treasuryPages } from './treasurer.ts'
import { uploadPage, withdrawPage } from './upload-page.tsx'

/** The number of rows of an upload that are shown at once. */
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
          upload.withdrawnMs === null
            ? { page: withdrawPage({ ...member, upload }) }
            : { redirect: PATHS.prices },
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
    return { page: withdrawPage({ ...member, upload, isRefused: true }) }
  const { account } = member.person
  await withdrawUpload({ ...deps, store: deps.uploading.store }, account, { upload, reason })
  return { redirect: `${PATHS.prices}?said=withdrawn&upload=${upload.id}` }
}
