import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { Currency } from '~/domain/currency.ts'
import type { ReferenceRow } from '~/domain/mid.ts'
import { readReferenceFile } from '~/file/references.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { type InputFile, withInput } from '../file.ts'
import { withProgress } from '../progress.ts'
import { allOrNothing } from '../rejects.ts'
import { printResult, type Terminal, withDatabase } from '../terminal.ts'
import { addReferenceFeeds } from './feeds.ts'
import { addReferenceReplay } from './replay.ts'

export function addReference(program: Command, terminal: Terminal): void {
  const reference = program.command('reference').description('what a US dollar was worth')
  addReferenceFeeds(reference, terminal)
  addReferenceReplay(reference, terminal)
  reference
    .command('import')
    .description('record a file of USD reference rates: all of its rows, or none if one is invalid')
    .argument(
      '<file>',
      'CSV with the columns fetched_at,source,currency,per_usd; - is standard input',
    )
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const { added, left } = await withInput(path, (input) =>
        withDatabase(terminal, (database) => run(terminal, database, input)),
      )
      const { snapshots, rates } = added
      const lines = [`rates added: ${rates}, in snapshots: ${snapshots}`, ...left.lines]
      const result = { snapshots, rates, rows_left_out: left.rows, left_out: left.named }
      printResult(terminal, { isJson: json, result, lines })
    })
}

async function run(terminal: Terminal, database: Database, input: InputFile) {
  const read = readReferenceFile(withProgress(input, terminal), systemClock.now())
  const rows = allOrNothing(read, { terminal, advice: 'correct the file and import it again' })
  const { currencies } = await createCatalogueStore(database).load()
  const left = new LeftOut(currencies)
  return { added: await importReferences({ database, rows: left.without(rows) }), left }
}

const NAMED_MAX = 20

/** The rows without a use: of stablecoins and of currencies that the catalogue does not have. */
class LeftOut {
  rows = 0
  readonly #priced: ReadonlySet<string>
  readonly #codes = new Set<string>()

  constructor(currencies: readonly Currency[]) {
    const fiat = currencies.filter(({ kind }) => kind === 'fiat')
    this.#priced = new Set(fiat.map(({ code }) => code))
  }

  async *without(batches: AsyncIterable<readonly ReferenceRow[]>) {
    for await (const rows of batches) yield rows.filter((row) => this.#isUsed(row))
  }

  get named(): string[] {
    return [...this.#codes].slice(0, NAMED_MAX).sort()
  }

  /** Lines about the omitted rows; none if there are none. */
  get lines(): string[] {
    if (this.rows === 0) return []
    const others = this.#codes.size > NAMED_MAX ? ' and others' : ''
    return [
      `rows left out: ${this.rows}, of currencies that the catalogue lacks or has as ` +
        `stablecoins: ${this.named.join(', ')}${others}`,
    ]
  }

  #isUsed({ currency }: ReferenceRow): boolean {
    if (this.#priced.has(currency)) return true
    this.rows++
    if (this.#codes.size <= NAMED_MAX) this.#codes.add(currency)
    return false
  }
}
