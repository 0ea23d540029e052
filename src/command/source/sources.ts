import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { SOURCE_NAMES } from '~/source/sources.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'
import { presentSource } from '~/wire/status/source.ts'
import { tableLines } from '../table.ts'
import { configOf, printResult, type Terminal, withExisting } from '../terminal.ts'
import { addSourceFetch } from './fetch.ts'

export function addSources(program: Command, terminal: Terminal): void {
  const sources = program.command('sources').description('official rates from central banks')
  addList(sources, terminal)
  addSourceFetch(sources, terminal)
  addStatus(sources, terminal)
}

function addList(sources: Command, terminal: Terminal): void {
  sources
    .command('list')
    .description('list the supported banks: their currencies, and when they publish')
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

function addStatus(sources: Command, terminal: Terminal): void {
  sources
    .command('status')
    .description("show each bank's last fetch, newest day and missed days")
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const nowMs = systemClock.now()
      const records = await withExisting(terminal, (database) =>
        createSourceStateStore(database).load(),
      )
      const result = records.map((record) => presentSource(record, nowMs))
      printResult(terminal, { isJson: json, result, lines: statusLines(records, nowMs) })
    })
}

function statusLines(records: readonly SourceRecord[], nowMs: number): string[] {
  if (records.length === 0) return ['no bank was queried yet']
  const rows = records.map((record) => {
    const { name, newest, missed_days, is_late, last_success, reason, refused } = presentSource(
      record,
      nowMs,
    )
    return [
      name,
      record.isFailing ? 'failing' : 'works',
      last_success ?? 'never',
      newest ?? '-',
      missed_days === null ? '-' : `${missed_days}${is_late ? ', late' : ''}`,
      [reason, ...refused].filter(Boolean).join('; ') || '-',
    ]
  })
  return tableLines([
    ['source', 'state', 'last success', 'newest day', 'days missed', 'reason'],
    ...rows,
  ])
}
