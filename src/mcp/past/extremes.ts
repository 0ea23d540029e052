import { roundAmount } from '~/domain/round.ts'

/** A rate of some kind, and what is told of it beside. */
type Rated = { readonly kind: string; readonly rate: number; readonly told: object }

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
 * oldest. Without a rate each is empty, and so nothing at all is told.
 */
export function extremesOf(all: readonly Rated[]): Partial<Extremes> {
  if (all.length === 0) return {}
  const kinds = [...Map.groupBy(all, ({ kind }) => kind).values()]
  const told = (choose: (own: readonly Rated[]) => Rated): ByKind =>
    Object.fromEntries(
      kinds.map((own) => {
        const { kind, rate, told } = choose(own)
        return [kind, { rate: roundAmount(rate), ...told }]
      }),
    )
  return {
    first: told((own) => own[0]!),
    last: told((own) => own.at(-1)!),
    lowest: told((own) => own.reduce((least, one) => (one.rate < least.rate ? one : least))),
    highest: told((own) => own.reduce((most, one) => (one.rate > most.rate ? one : most))),
  }
}
