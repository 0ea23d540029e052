import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '~/clock.ts'
import { loadConfig } from '~/config.ts'
import { startService } from '~/runtime/service.ts'
import { lastSettledMonth, periodOf } from '~/service/file/period.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { addAccount } from '../runtime/replica-scene.ts'
import { inArrays, observation, otherHandle, stockedDatabase } from '../store/samples.ts'
import { ROOT } from '../support/child.ts'
import { endTestCluster, type FreshDatabase } from '../support/postgres.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'

/** More than a group of rows of the file. */
const ROWS = 120_000
const TRIES_MAX = 30
const DUCKDB = '@duckdb/node-api@1.5.6-r.1'
const PYTHON = ['pandas==3.0.6', 'pyarrow==25.0.1']

const log = { debug() {}, info() {}, warn() {}, error: console.error }
const month = periodOf(lastSettledMonth(systemClock.now()))!

/** The sums that a reader computes from the file, or SQL from the tables. */
type Summary = Readonly<Record<'rows' | 'ids' | 'rates' | 'firstMs' | 'lastMs' | 'fees', number>>

const summary = (table: string, ms: string) => `
  select count(*) as rows, sum(id) as ids, round(sum(rate), 4) as rates, count(fee) as fees,
    ${ms.replace('_(', 'min(')} as "firstMs", ${ms.replace('_(', 'max(')} as "lastMs" from ${table}`

async function inTables({ sql }: FreshDatabase): Promise<Summary> {
  const ms = '1000 * extract(epoch from _(effective_from))'
  return numbers((await sql.unsafe(summary('observations', ms)))[0]!)
}

const numbers = (row: object) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as Summary

/** The output lines of a command in a folder. */
async function said(cwd: string, command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${error || out}`)
  return out.trim()
}

/** The query in docs/spreadsheets.md in a language, for the file in the folder. */
async function documented(language: string): Promise<string> {
  const docs = await Bun.file(join(ROOT, 'docs/spreadsheets.md')).text()
  const chapter = docs.slice(docs.indexOf('## The file of a month'))
  return chapter.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!.replace('2026-10', month.name)
}

async function byDuckDb(folder: string): Promise<Summary> {
  await Bun.write(join(folder, 'package.json'), '{"type":"module"}')
  await said(folder, ['bun', 'add', '--silent', DUCKDB])
  const queries = [
    summary(`'${month.name}.parquet'`, 'epoch_ms(_(timestamp))'),
    await documented('sql'),
  ]
  await Bun.write(
    join(folder, 'duck.js'),
    `import { DuckDBInstance } from '@duckdb/node-api'
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    for (const query of ${JSON.stringify(queries)})
      console.log(JSON.stringify((await connection.runAndReadAll(query)).getRowObjectsJson()))`,
  )
  const [own, docs] = (await said(folder, ['bun', 'duck.js']))
    .split('\n')
    .map((text) => JSON.parse(text))
  if (docs.length === 0) throw new Error('DuckDB: the query of the docs finds nothing')
  return numbers(own[0])
}

async function byPandas(folder: string): Promise<Summary> {
  await said(folder, ['python3', '-m', 'venv', 'python'])
  await said(folder, ['python/bin/pip', 'install', '--quiet', '--no-compile', ...PYTHON])
  await Bun.write(
    join(folder, 'read.py'),
    `import json
import pandas as pd
${await documented('text')}
assert len(rows[rows.withdrawn_at.isna()].groupby('corridor')) > 0
ms = rows.timestamp.astype('datetime64[ms, UTC]').astype('int64')
print(json.dumps(dict(rows=len(rows), ids=int(rows.id.sum()), rates=round(rows.rate.sum(), 4),
  fees=int(rows.fee.count()), firstMs=int(ms.min()), lastMs=int(ms.max()))))`,
  )
  return numbers(
    JSON.parse((await said(folder, ['python/bin/python', 'read.py'])).split('\n').at(-1)!),
  )
}

/** Downloads a file, which a slow machine may still be creating at the first request. */
async function served(url: string, key: string): Promise<Uint8Array> {
  for (let tries = 1; ; tries++) {
    const reply = await fetch(url, { headers: { 'x-api-key': key } })
    const bytes = await reply.bytes()
    if (reply.status === 200) return bytes
    if (reply.status !== 503 || tries >= TRIES_MAX)
      throw new Error(`${reply.status}: ${new TextDecoder().decode(bytes)}`)
    await delay(Number(reply.headers.get('retry-after')) * 1000)
  }
}

/** Makes other programs read a month's file from a service, and compares their sums. */
async function readBack(): Promise<void> {
  const database = await stockedDatabase()
  const service = await startService({
    ...{ config: loadConfig({ PORT: '0', REFERENCE_FEED: 'none' }), clock: systemClock, log },
    ...{ database: otherHandle(database), sample: null },
  })
  try {
    const key = (await addAccount(database, {})).keys[0]!
    const stepMs = Math.floor((month.endMs - month.startMs) / ROWS)
    const rows = Array.from({ length: ROWS }, (_, n) =>
      observation({
        rate: `${100 + (n % 977) / 8}`,
        fee: n % 4 ? null : '1.99',
        feeCurrency: n % 4 ? null : 'USD',
        effectiveMs: month.startMs + n * stepMs,
      }),
    )
    await importObservations({ database, rows: inArrays(rows, 1000) })
    const folder = await scratchFolder()
    const bytes = await served(`${service.origin}/api/v1/files/${month.name}.parquet`, key)
    await Bun.write(join(folder, `${month.name}.parquet`), bytes)
    const expected = JSON.stringify(await inTables(database))
    let failed = 0
    for (const [name, read] of Object.entries({ DuckDB: byDuckDb, pandas: byPandas })) {
      const found = await read(folder).then(JSON.stringify, String)
      const isSame = found === expected
      console.log(isSame ? `${name} reads ${ROWS} rows` : `${name}: ${found}, not ${expected}`)
      if (!isSame) failed += 1
    }
    console.log(`${2 - failed} passed, ${failed} failed`)
    if (failed) process.exitCode = 1
  } finally {
    await service.stop()
    await database.close()
  }
}

try {
  await readBack()
} finally {
  await endTestCluster()
  await removeScratch()
}
