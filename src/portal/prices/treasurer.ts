import type { ServiceError } from '~/domain/errors.ts'
import { mayIngest } from '~/domain/quota.ts'
import type { Grid } from '~/file/table/grid.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { AgeLimits } from '~/memory/view.ts'
import {
  type FormFields,
  type PageAnswer,
  type PageRequest,
  type PageRequestDeps,
  type Person,
  personRoutes,
} from '~/portal/member/page-request.tsx'
import { signInFirst } from '~/portal/member/way-on.ts'
import { unknownPage, wantsPage } from '~/portal/unknown-page.tsx'
import { wordsFor } from '~/portal/words/asked.ts'
import type { IngestDeps } from '~/service/recording/ingest.ts'
import type { UploadStore } from '~/service/recording/upload.ts'
import type { WithdrawDeps } from '~/service/recording/withdraw.ts'

export type PricesDeps = PageRequestDeps & {
  readonly ageLimits: AgeLimits
  /** The answer for a path that does not exist. */
  readonly unknownPath: () => ServiceError
  readonly uploading: {
    readonly store: IngestDeps['store'] & WithdrawDeps['store']
    readonly uploads: UploadStore
    /** Reads a table apart from everything else; throws FileFault for what is none. */
    read(bytes: Uint8Array): Promise<{ readonly grid: Grid; readonly content: Uint8Array }>
  }
}

/** A person who may record prices, and the request they make. */
export type Treasurer = { readonly pageRequest: PageRequest; readonly person: Person }

export type Reply = PageAnswer | Promise<PageAnswer>

type Answers = {
  get(treasurer: Treasurer): Reply
  post?(treasurer: Treasurer, form: FormFields): Reply
  readonly files?: { readonly bytesMax: number; tooLarge(treasurer: Treasurer): Reply }
}

/** Pages of people whose account may record; for other members they do not exist. */
export function treasuryRoutes(deps: PricesDeps, path: string, answers: Answers): Route[] {
  const { get, post, files } = answers
  const only = (pageRequest: PageRequest, answer: (treasurer: Treasurer) => Reply): Reply => {
    const { person, request, url } = pageRequest
    if (!person) return signInFirst(url.pathname + url.search)
    if (mayIngest(person.account.role)) return answer({ pageRequest, person })
    if (wantsPage(request)) {
      const words = wordsFor(request, deps.pages)
      return { page: { words, ...unknownPage(words, url.pathname) } }
    }
    return { response: errorReply(deps.unknownPath(), deps.log) }
  }
  return personRoutes(deps, path, {
    get: (pageRequest) => only(pageRequest, get),
    ...(post && {
      post: (pageRequest, form) => only(pageRequest, (treasurer) => post(treasurer, form)),
    }),
    ...(files && {
      files: { ...files, tooLarge: (pageRequest) => only(pageRequest, files.tooLarge) },
    }),
  })
}

export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
