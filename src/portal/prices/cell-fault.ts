import { meantBy } from '~/domain/misspelling.ts'
import { COLUMN_MEMBERS, type ColumnMember } from '~/file/table/names.ts'
import type { CellFault } from '~/file/table/rows.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'

/** The members that the rules of a row name in another way. */
const SIDES: Readonly<Record<string, ColumnMember>> = {
  source_currency: 'from',
  target_currency: 'to',
}

const UNKNOWN_PROVIDER = /^"(.*)" is not an active id/
const NOT_ISO = /^must be an ISO-8601 date-time/
const UNREADABLE = 'is not a date that can be read. Write it like 2026-11-26 09:00'

/** The cell that a rule of rows is about, and the rule in the words of a page. */
export function cellFaultOf(sentence: string, catalogue: CatalogueIndex): CellFault {
  const [, name = '', rest = ''] = /^(\S+) (.*)$/s.exec(sentence) ?? []
  const member = SIDES[name] ?? COLUMN_MEMBERS.find((one) => one === name) ?? null
  if (member === null || sentence.startsWith('source and target'))
    return { member: null, fault: sentence }
  if (/^(\(or \w+\) )?is required/.test(rest)) return { member, fault: 'is missing' }
  const [, unknown] = UNKNOWN_PROVIDER.exec(rest) ?? []
  if (member === 'provider_id' && unknown !== undefined)
    return { member, fault: `“${unknown}” is not a provider here${suggestion(unknown, catalogue)}` }
  return {
    member,
    fault: NOT_ISO.test(rest) ? UNREADABLE : rest.replace('finite JSON number', 'number'),
  }
}

function suggestion(unknown: string, { providers }: CatalogueIndex): string {
  const names = providers.flatMap(({ id, name }) => [id, name.toLowerCase()])
  const meant = meantBy(unknown, names)
  return meant === null ? '' : `; is it ${meant}?`
}
