import type { FormFields, PageAnswer, PageRequest, Person } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'

type Reply = PageAnswer | Promise<PageAnswer>

/** A signed-in user and their request. */
export type Member = { readonly pageRequest: PageRequest; readonly person: Person }

/** An answer for people who are signed in; anybody else is led to the sign-in. */
export const forMembers =
  <Fields extends [] | [FormFields]>(answer: (member: Member, ...fields: Fields) => Reply) =>
  (pageRequest: PageRequest, ...fields: Fields): Reply =>
    pageRequest.person
      ? answer({ pageRequest, person: pageRequest.person }, ...fields)
      : { redirect: PATHS.signIn }
