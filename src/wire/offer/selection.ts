import { type Selection, upToAge } from '~/domain/offer/selection.ts'
import { readMaxAge } from '~/wire/moment.ts'

type SelectionQuery = { readonly max_age?: string }

/** Which offers a question is about. Throws a 400 that names the parameter at fault. */
export const readSelection = (query: SelectionQuery): Selection => upToAge(readMaxAge(query))
