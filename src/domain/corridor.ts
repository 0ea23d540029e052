/** An ordered pair of currencies: money leaves in `from` and arrives in `to`. */
export type Corridor = { readonly from: string; readonly to: string }

/** A corridor that has been quoted, with the number that the database knows it by. */
export type StoredCorridor = Corridor & { readonly id: number }

/** The name of a corridor, `<from>/<to>`: the key of indexes, and a field of responses. */
export const corridorKey = ({ from, to }: Corridor): string => `${from}/${to}`
