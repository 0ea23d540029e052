/** @jsxImportSource preact */
import type { ServiceError } from '~/domain/errors.ts'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'

const STATUSES: Readonly<Partial<Record<ServiceError['code'], number>>> = {
  invalid_rows: 422,
  forbidden: 403,
}

/** The page for prices that were not recorded, or of which that is not known. */
export const unrecordedPage = ({ code, message }: ServiceError, preview: string): Page =>
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
