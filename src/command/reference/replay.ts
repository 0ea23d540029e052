import { basename } from 'node:path'
import type { Command } from 'commander'
import { FeedError, type ReferenceAnswer } from '~/domain/feed/feed.ts'
import { dateMsOf } from '~/domain/instant.ts'
import { ADAPTERS, FEED_NAMES, type FeedName } from '~/feed/feeds.ts'
import { perDollar } from '~/feed/rates.ts'
import { type RecordedFeed, type ReplayedRun, replayReferences } from '~/jobs/replay-references.ts'
import { sampleCatalogue } from '~/sample/sample.ts'
import { readText } from '../file.ts'
import { tableLines } from '../table.ts'
import { CommandFailure, configOf, printResult, type Terminal } from '../terminal.ts'

const FILE_BYTES_MAX = 67_108_864

export function addReferenceReplay(reference: Command, terminal: Terminal): void {
  reference
    .command('replay')
    .description(
      'evaluate recorded responses of feeds as the job would, one run a day; stores nothing',
    )
    .argument(
      '<file...>',
      'responses of the feeds, or CSV with the columns date,currency,per_usd; ' +
        'a file belongs to the feed that its name begins with, or FEED=FILE',
    )
    .option('--json', 'print one JSON document')
    .action(async (paths: string[], { json = false }: { json?: boolean }) => {
      const { feedMode: mode, feedRules: rules } = configOf(terminal)
      const feeds = await recordedFeeds(paths)
      const given = new Set(
        feeds.flatMap(({ answers }) => answers.flatMap(({ perUsd }) => [...perUsd.keys()])),
      )
      const known = sampleCatalogue('')
        .currencies.filter(({ code, kind }) => kind === 'fiat' && given.has(code))
        .map(({ code }) => code)
      const runs = await replayReferences(feeds, { mode, rules, known: () => known })
      const figures = known.flatMap((currency) => figuresOf(currency, runs) ?? [])
      const result = { days: runs.length, currencies: figures, runs: runs.map(presentRun) }
      printResult(terminal, { isJson: json, result, lines: linesOf(runs, figures) })
    })
}

/** The feeds in the order in which the files first name them. */
async function recordedFeeds(paths: readonly string[]): Promise<RecordedFeed[]> {
  const files = await Promise.all(paths.map(recordedFile))
  return [...Map.groupBy(files, ({ source }) => source).values()].map((of) => ({
    ...of[0]!,
    answers: of.flatMap(({ answers }) => answers),
  }))
}

async function recordedFile(argument: string): Promise<RecordedFeed> {
  const named = FEED_NAMES.find((name) => argument.startsWith(`${name}=`))
  const path = named ? argument.slice(named.length + 1) : argument
  const source = named ?? feedOf(path)
  const isOlder = basename(path).startsWith(`${source}-v1`)
  const { older, ...adapter } = { older: undefined, ...ADAPTERS[source] }
  const { origin = source, currencies = null, parse } = isOlder && older ? older : adapter
  const text = await readText(path, FILE_BYTES_MAX)
  try {
    const answers = text.startsWith('date,')
      ? csvAnswers(text)
      : documentsIn(text).map((document) => perDollar(parse(document)))
    return { source, origin, currencies, answers }
  } catch (error) {
    if (error instanceof FeedError) throw new CommandFailure(`${path}: ${source} ${error.message}`)
    throw error
  }
}

/** Each day of an XML file of many days as a document of its own; other strings unchanged. */
function documentsIn(text: string): string[] {
  const days = text.match(/<Cube time=[\s\S]*?<\/Cube>/g) ?? []
  if (days.length < 2) return [text]
  return days.map((day) => `<gesmes:Envelope><Cube>${day}</Cube></gesmes:Envelope>`)
}

function feedOf(path: string): FeedName {
  const name = FEED_NAMES.find((known) => basename(path).startsWith(known))
  if (name) return name
  throw new CommandFailure(
    `${path}: the name says no feed; write FEED=FILE with one of ${FEED_NAMES.join(', ')}`,
  )
}

/** A response for each date of a table `date,currency,per_usd`. */
function csvAnswers(text: string): ReferenceAnswer[] {
  const rows = text.trim().split(/\r?\n/).slice(1)
  const cells = rows.map((row) => row.split(','))
  return [...Map.groupBy(cells, ([date]) => date!)].map(([date, of]) => {
    const upstreamMs = dateMsOf(date)
    if (upstreamMs === null) throw new FeedError('malformed', `gives a date that is none: ${date}`)
    return { base: 'USD', upstreamMs, perUsd: new Map(of.map(([, code, rate]) => [code!, rate!])) }
  })
}

/** Returns the origin of a currency's mid over all runs. */
function figuresOf(currency: string, runs: readonly ReplayedRun[]) {
  const values = runs.flatMap(({ standing }) => standing.get(currency) ?? [])
  const supports = runs.flatMap(({ outcome }) =>
    outcome.support.filter((support) => support.currency === currency),
  )
  if (values.length + supports.length === 0) return null
  const count = (basis: string) => supports.filter((support) => support.basis === basis).length
  const moves = values.slice(1).map((value, i) => Math.abs(value / values[i]! - 1) * 100)
  return {
    currency,
    consensus: count('consensus'),
    single: count('single'),
    disputed: count('disputed'),
    held_back: runs.filter(({ outcome }) => outcome.held.some((held) => held.currency === currency))
      .length,
    dispersion_bps_max: rounded(Math.max(0, ...supports.map((one) => one.dispersionBps ?? 0))),
    move_pct_max: rounded(Math.max(0, ...moves)),
    not_used: [...new Set(supports.flatMap(({ left }) => left.map(({ source }) => source)))],
  }
}

const rounded = (x: number): number => Number(x.toFixed(2))

const presentRun = ({ outcome, standing }: ReplayedRun) => ({
  at: new Date(outcome.startedMs).toISOString(),
  feeds: outcome.feeds.map(({ id, result, message }) => ({ name: id, result, reason: message })),
  disputes: outcome.support
    .filter(({ left }) => left.length > 0)
    .map(({ currency, basis, left }) => ({ currency, basis, not_used: left })),
  held_back: outcome.held.map(({ currency, perUsd, source }) => ({
    currency,
    per_usd: Number(perUsd),
    source,
  })),
  mids: Object.fromEntries(standing),
})

function linesOf(
  runs: readonly ReplayedRun[],
  figures: readonly NonNullable<ReturnType<typeof figuresOf>>[],
): string[] {
  const head = ['currency', 'consensus', 'single', 'disputed', 'held back', 'bps', 'move %', '']
  const rows = figures.map(({ currency, not_used, ...of }) => [
    ...[currency, ...Object.values(of).map(String)],
    not_used.length > 0 ? `not used: ${not_used.join(', ')}` : '',
  ])
  return [
    `${runs.length} runs, one a day; bps is the largest dispersion, move % the largest move`,
    ...tableLines([head, ...rows]),
  ]
}
