import { type Static, Type } from '@sinclair/typebox'
import type { Change } from '~/domain/change.ts'
import { corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { PERIODS } from '~/domain/period.ts'
import { roundAmount } from '~/domain/round.ts'
import type { CorridorChange, PricesAt } from '~/service/change.ts'
import { backingFields, freshnessFields, Instant, namedRecord, optional, words } from './fields.ts'
import { periodParameter } from './history.ts'
import { notedKnownFields } from './known/known.ts'
import { CorridorQuery } from './parameters.ts'
import { iso, presentBacking, presentFreshness } from './present.ts'

export const ChangeQuery = Type.Object({
  ...CorridorQuery.properties,
  period: periodParameter('The length of the period.', '7d'),
})

const ChangeMoment = namedRecord('ChangeMoment', {
  at: Instant,
  mid: optional.number({ description: 'Absent without a recent mid at that time.' }),
  source: optional.string({ description: 'The feed or feeds behind the mid.' }),
  basis: Type.Optional(backingFields.basis),
  dispersion_bps: backingFields.dispersion_bps,
  best: optional.number({ description: 'Best executable rate; absent if there was none.' }),
})

const ChangeFigures = namedRecord('ChangeFigures', {
  abs: Type.Number({ description: 'The end minus the start.' }),
  pct: Type.Number({ description: 'The difference as a percentage of the start.' }),
})

export const ChangeResponse = namedRecord('ChangeResponse', {
  corridor: Type.String({ examples: ['USD/KES'] }),
  period: words(PERIODS),
  start: ChangeMoment,
  end: ChangeMoment,
  change: namedRecord('CorridorChange', {
    mid: Type.Optional(ChangeFigures),
    best: Type.Optional(ChangeFigures),
  }),
  ...freshnessFields,
  ...notedKnownFields,
})

export function presentChange(
  change: CorridorChange,
  freshness: Freshness,
): Static<typeof ChangeResponse> {
  const { corridor, period, start, end, mid, best } = change
  return {
    corridor: corridorKey(corridor),
    period,
    start: presentMoment(start),
    end: presentMoment(end),
    change: { ...(mid && { mid: figures(mid) }), ...(best && { best: figures(best) }) },
    ...presentFreshness(freshness),
  }
}

const presentMoment = ({ atMs, mid, best }: PricesAt): Static<typeof ChangeMoment> => ({
  at: iso(atMs),
  ...(mid && { mid: roundAmount(mid.rate), source: mid.source, ...presentBacking(mid) }),
  ...(best !== null && { best: roundAmount(best) }),
})

const figures = ({ abs, pct }: Change): Static<typeof ChangeFigures> => ({ abs, pct })
