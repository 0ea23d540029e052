/** The number of rows that a table has, and a sum of them that does not depend on their order. */
type TableSum = { rows: number; sum: bigint; readonly columns: readonly string[] }

const END = '\\.'

/**
 * Counts and sums the rows of a backup, line by line, table by table.
 *
 * With the columns of another backup only those are summed, so that a backup of an older version
 * can be compared with its result in the present one.
 */
export class Tally {
  readonly tables = new Map<string, TableSum>()
  #isBegun = false
  #current: TableSum | null = null
  #places: number[] | null = null

  constructor(private readonly like: Tally | null = null) {}

  take(line: string): void {
    if (!this.#isBegun) this.#isBegun = true
    else if (this.#current === null) this.#open(line)
    else if (line === END) this.#current = null
    else this.#add(line, this.#current)
  }

  get rows(): number {
    return [...this.tables.values()].reduce((all, { rows }) => all + rows, 0)
  }

  #open(line: string): void {
    if (line === '') return
    const { name, columns } = JSON.parse(line) as { name: string; columns: readonly string[] }
    const wanted = this.like?.tables.get(name)?.columns ?? columns
    const isWhole = wanted.length === columns.length
    this.#places = isWhole ? null : wanted.map((column) => columns.indexOf(column))
    this.#current = { rows: 0, sum: 0n, columns }
    this.tables.set(name, this.#current)
  }

  #add(line: string, table: TableSum): void {
    const cells = this.#places && line.split('\t')
    const text = cells ? this.#places!.map((place) => cells[place]).join('\t') : line
    table.rows++
    table.sum = BigInt.asUintN(64, table.sum + BigInt(Bun.hash(text)))
  }
}

/** Differences between a backup and the database restored from it; empty for none. */
export function differencesOf(held: Tally, made: Tally): string[] {
  return [...held.tables].flatMap(([name, { rows, sum }]) => {
    const found = made.tables.get(name)
    if (!found || found.rows !== rows)
      return [`${name}: ${rows} rows in the file, ${found?.rows ?? 0} in the database`]
    return found.sum === sum ? [] : [`${name}: the sums of its ${rows} rows differ`]
  })
}
