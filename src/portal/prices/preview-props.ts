import type { Provider } from '~/domain/provider.ts'
import type { UploadDraft } from '~/domain/upload.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import type { Preview, PreviewRow } from './preview.ts'

/** Response to a form when the preview is shown again. */
export type Again = {
  readonly complaint?: string
  /** The live prices that were recorded after this id are pointed out as new. */
  readonly changedAfterId?: number
}

export type PreviewProps = Member & {
  readonly draft: UploadDraft
  readonly preview: Preview
  readonly again: Again
  readonly providers: readonly Provider[]
}

/** Reports whether a live price is newer than the page that a form was sent from. */
export const isChanged = (last: PreviewRow['last'], { changedAfterId }: Again): boolean =>
  changedAfterId !== undefined && last !== null && last.id > changedAfterId
