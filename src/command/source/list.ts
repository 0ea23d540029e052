import type { Command } from 'commander'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { SOURCE_NAMES } from '~/source/sources.ts'
import { tableLines } from '../table.ts'
import { configOf, printResult, type Terminal } from '../terminal.ts'

/** The command `sources list`. */
export function addSourceList(sources: Command, terminal: Terminal): void {
  sources
    .command('list')
    .description('every bank that can be asked: what its prices are in, and when it publishes')
    .option('--json', 'print one JSON document')
    .action(({ json = false }: { json?: boolean }) => {
      const { quoteSources } = configOf(terminal)
      const listed = SOURCE_NAMES.map((name) => {
        const isConfigured = quoteSources.includes(name)
        return presentBank(name, { bank: BANKS[name], isConfigured })
      })
      const rows = listed.map((one) => [
        one.is_configured ? `${one.source} *` : one.source,
        one.name,
        one.currency,
        `${one.publishes.at} ${one.publishes.time_zone}`,
        one.history,
        one.needs_key ? 'QUOTE_SOURCES_KEYS' : '-',
      ])
      const heading = ['source', 'bank', 'prices in', 'publishes', 'history', 'key']
      const lines = [...tableLines([heading, ...rows]), '', '* named in QUOTE_SOURCES']
      printResult(terminal, { isJson: json, result: listed, lines })
    })
}

type Listed = { readonly bank: Bank; readonly isConfigured: boolean }

function presentBank(source: string, { bank, isConfigured }: Listed) {
  const { provider, currency, timeZone, publishes, reach } = bank
  return {
    source,
    name: provider.name,
    provider_id: provider.id,
    region: provider.region,
    website_url: provider.websiteUrl,
    currency,
    publishes: { at: publishes.at, time_zone: timeZone, weekdays: publishes.weekdays },
    history: typeof reach === 'number' ? 'asked by days' : REACHES[reach],
    format_url: bank.source,
    terms: bank.terms,
    needs_key: bank.key !== undefined,
    key_url: bank.key?.page ?? null,
    is_configured: isConfigured,
  }
}

const REACHES = { newest: 'none', all: 'in every answer' }
