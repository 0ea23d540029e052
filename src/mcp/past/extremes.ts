import { roundAmount } from '~/domain/round.ts'

/** A rate of some kind, and the fields shown with it. */
export type Rated = {
  readonly kind: string
  readonly rate: number
  readonly shown: object
  /** Says whether it is of an earlier time than the one that it represents. */
  readonly isCarried?: boolean
}

type ByKind = Readonly<Record<string, object>>

/** The first, last, lowest and highest rate of each kind. */
type Extremes = {
  readonly first: ByKind
  readonly last: ByKind
  readonly lowest: ByKind
  readonly highest: ByKind
}

/**
 * The first, last, lowest and highest of rates that are given oldest first; of equal rates the
 * oldest. A carried rate is never the lowest or the highest. Without a rate each is empty, and so
 * nothing at all is shown.
 */
export function extremesOf(all: readonly Rated[]): Partial<Extremes> {
  if (all.length === 0) return {}
  const kinds = [...Map.groupBy(all, ({ kind }) => kind).values()]
  const shown = (choose: (own: readonly Rated[]) => Rated | undefined): ByKind =>
    Object.fromEntries(
      kinds.flatMap((own) => {
        const chosen = choose(own)
        return chosen ? [[chosen.kind, { rate: roundAmount(chosen.rate), ...chosen.shown }]] : []
      }),
    )
  const byRate = (sign: number) =>
    shown(
      (own) => own.filter((one) => !one.isCarried).toSorted((a, b) => sign * (a.rate - b.rate))[0],
    )
  return {
    first: shown((own) => own[0]),
    last: shown((own) => own.at(-1)),
    lowest: byRate(1),
    highest: byRate(-1),
  }
}
