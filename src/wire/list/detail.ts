import { type Static, Type } from '@sinclair/typebox'
import type { Quote } from '~/domain/quote.ts'
import { nullable, words } from '~/wire/fields.ts'

/** Detail of each price in a response; a tool's short form leaves out more than REST's. */
export const DETAILS = ['short', 'full'] as const

const Detail = words(DETAILS, {
  default: 'short',
  description: '`full` adds `notes` to each entry.',
})

export const detailParameter = { detail: Type.Optional(Detail) }

/** The requested detail; `short` if absent. */
export type Detailed = { readonly detail?: Static<typeof Detail> | undefined }

export const detailFields = {
  notes: Type.Optional(
    nullable.string({
      description: 'Notes that were recorded with the price; only with `detail=full`.',
    }),
  ),
}

/** The fields of `detailFields`; none for a short response. */
export const presentDetail = ({ notes }: Quote, { detail }: Detailed) =>
  detail === 'full' ? { notes: notes ?? null } : {}
