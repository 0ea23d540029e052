import type { ServiceError } from '~/domain/errors.ts'
import { mayIngest } from '~/domain/quota.ts'
import type { Grid } from '~/file/table/grid.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { memberPages, nowhere } from '~/portal/member/member-pages.ts'
import type { PageRequestDeps } from '~/portal/member/page-request.tsx'
import { signInFirst } from '~/portal/member/way-on.ts'
import type { IngestDeps } from '~/service/recording/ingest.ts'
import type { UploadStore } from '~/service/recording/upload.ts'
import type { WithdrawDeps } from '~/service/recording/withdraw.ts'

export type PricesDeps = PageRequestDeps & {
  readonly ageLimits: AgeLimits
  readonly unknownPath: () => ServiceError
  readonly uploading: {
    readonly store: IngestDeps['store'] & WithdrawDeps['store']
    readonly uploads: UploadStore
    /** Reads a table apart from everything else; throws FileFault for what is not a table. */
    read(bytes: Uint8Array): Promise<{ readonly grid: Grid; readonly content: Uint8Array }>
  }
}

/** Pages of people whose account may record; for other people they do not exist. */
export const treasuryPages = (deps: PricesDeps) =>
  memberPages(deps, ({ pageRequest, path }, enter) => {
    const { person, url } = pageRequest
    if (!person) return signInFirst(path + url.search)
    return mayIngest(person.account.role) ? enter(person) : nowhere(deps, pageRequest)
  })

export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
