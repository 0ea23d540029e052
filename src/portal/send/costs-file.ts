import { invalidParameter } from '~/domain/errors.ts'
import { csvReply } from '~/portal/download.ts'
import { type PublicAsk, type PublicDeps, publicFile } from '~/portal/public-page.tsx'
import { plainNumberText } from '~/portal/words/format.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { countryCosts } from '~/service/country/costs.ts'
import { costsList, costsQuestion, presentCosts } from '~/wire/country/costs.ts'
import { textsOf } from '~/wire/list/text.ts'
import type { SendQuery } from './query.ts'

export const COSTS_PATH = '/board/costs.csv'

/** Costs of a pair's page as a file; the API offers it with a key. */
export const costsFileRoute = (deps: PublicDeps) => publicFile(deps, COSTS_PATH, fileReply)

export function costsFileHref({ pair, corridor }: SendQuery, amount: number): string {
  const { from, to } = corridor
  const countries = { source_country: pair.source.code, target_country: pair.target.code }
  const question = { ...countries, from, to, amount: plainNumberText(amount) }
  return `${COSTS_PATH}?${new URLSearchParams(question)}`
}

/** Throws a 400 that names the invalid parameter. */
async function fileReply({ url: { searchParams }, view }: PublicAsk): Promise<Response> {
  const asked = Object.fromEntries(searchParams)
  const { source_country = '', target_country = '', amount: text = '', from, to } = asked
  const { amount, fault } = writtenAmount(ENGLISH, text, from ?? '')
  if (text.trim() !== '' && fault !== null) throw invalidParameter({ name: 'amount', fault })
  const question = costsQuestion({
    ...{ source_country, target_country },
    ...(from && { from }),
    ...(to && { to }),
    ...(amount !== null && { amount }),
  })
  const body = presentCosts(countryCosts(view, question), view.freshness)
  const texts = [...textsOf(costsList.rows(body), { names: costsList.names, format: 'csv' })]
  return csvReply(`${costsList.fileName(body)}.csv`, texts.join(''))
}
