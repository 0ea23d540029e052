import { rm } from 'node:fs/promises'
import { DAY_MS } from '~/domain/duration.ts'
import { openHome } from '../home.ts'
import { fill, type Size } from './filled.ts'
import type { Span } from './market.ts'
import { requireRoom } from './room.ts'

const YEAR_DAYS = 365.25

export type Filled = Size & { readonly dataDir: string }

type Asked = Omit<Size, keyof Span> & { readonly years: number }

const say = (line: string) => console.error(`history: ${line}`)

/** A data directory with a history, from an earlier run or filled now. */
export async function filledHome(dir: string, { years, ...asked }: Asked): Promise<Filled> {
  const { rows } = asked
  const dataDir = `${dir}/${rows}-of-${years}-years`
  const mark = Bun.file(`${dataDir}.json`)
  if (await mark.exists()) return { ...asked, ...(await mark.json()), dataDir }
  await requireRoom(dir, rows, say)
  await rm(dataDir, { recursive: true, force: true })
  const size: Size = { ...asked, nowMs: Date.now(), spanMs: years * YEAR_DAYS * DAY_MS }
  const startMs = performance.now()
  const home = await openHome(dataDir)
  try {
    await fill(home.database, size, say)
  } finally {
    await home.close()
  }
  say(`${rows.toLocaleString('en')} rows in ${Math.round((performance.now() - startMs) / 1000)} s`)
  await mark.write(JSON.stringify(size))
  return { ...size, dataDir }
}
