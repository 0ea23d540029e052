import type { ServiceError } from '~/domain/errors.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { PATHS } from '~/portal/paths.ts'
import { unknownPage, wantsPage } from '~/portal/unknown-page.tsx'
import { wordsFor } from '~/portal/words/asked.ts'
import {
  type Answers,
  type FormAnswer,
  type PageReply,
  type PageRequest,
  type PageRequestDeps,
  type Person,
  personRoutes,
} from './page-request.tsx'

/** A signed-in person and their request. */
export type Member = { readonly pageRequest: PageRequest; readonly person: Person }

/** The response to a form that a signed-in person sends. */
export type MemberForm<Deps> = FormAnswer<Deps, Member>

/** A request for a page at a path of ours, without a language, or from a form on it. */
type Asked = { readonly pageRequest: PageRequest; readonly path: string; readonly isForm: boolean }

/** Admits a person, and replies to anyone else. */
export type Entry = (asked: Asked, enter: (person: Person) => PageReply) => PageReply

const signedIn: Entry = ({ pageRequest: { person } }, enter) =>
  person ? enter(person) : { redirect: PATHS.signIn }

/** Creates the routes of pages for people who are signed in, or whom `entry` admits. */
export const memberPages =
  <Deps extends PageRequestDeps>(deps: Deps, entry = signedIn) =>
  (path: string, { get, post, files }: Answers<Deps, Member>): Route[] => {
    const reply = (
      pageRequest: PageRequest,
      isForm: boolean,
      answer: (member: Member) => PageReply,
    ): PageReply =>
      entry({ pageRequest, path, isForm }, (person) => answer({ pageRequest, person }))
    return personRoutes(deps, path, {
      ...(get && {
        get: (_, pageRequest) => reply(pageRequest, false, (member) => get(deps, member)),
      }),
      ...(post && {
        post: (_, pageRequest, form) =>
          reply(pageRequest, true, (member) => post(deps, member, form)),
      }),
      ...(files && {
        files: {
          bytesMax: files.bytesMax,
          tooLarge: (_, pageRequest) =>
            reply(pageRequest, true, (member) => files.tooLarge(deps, member)),
        },
      }),
    })
  }

/** The reply to a person for whom the page does not exist. */
export function nowhere(
  deps: PageRequestDeps & { readonly unknownPath: () => ServiceError },
  { request, url }: PageRequest,
): PageReply {
  if (!wantsPage(request)) return { response: errorReply(deps.unknownPath(), deps.log) }
  const words = wordsFor(request, deps.pages)
  return { page: { words, ...unknownPage(words, url.pathname) } }
}
