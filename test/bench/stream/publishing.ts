import type { Market } from '../http/market.ts'
import type { Running } from '../process.ts'

const BATCH_ROWS = 50
/** A prime, so that the rates of that many rows differ, rising and falling. */
const RATES = 100_003
const STRIDE = 7919

/** A recorded row: its corridor, its rate as written, and when its 201 arrived. */
export type Row = { readonly corridor: string; readonly rate: string; readonly committedMs: number }

export type Recorder = {
  /** Records rows at a pace until `during` is over; returns them. */
  record(pace: { readonly perSecond: number; readonly during: Promise<unknown> }): Promise<Row[]>
  /** Records so many rows, as fast as one client does. */
  burst(rows: number): Promise<void>
}

/** Records prices of the market's pairs in turn through `POST /rates`, each with another rate. */
export function recorderOf(service: Running, { market, key }: { market: Market; key: string }) {
  const { pairs } = market
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  let next = 0
  const batch = () =>
    Array.from({ length: BATCH_ROWS }, () => {
      const { providerId, from, to } = pairs[next % pairs.length]!
      const rate = (1_000_000 + ((++next * STRIDE) % RATES)) / 1_000_000
      return { provider_id: providerId, from, to, rate, fee: 1.99 }
    })
  const recorded = async (): Promise<Row[]> => {
    const rows = batch()
    const body = JSON.stringify(rows)
    const reply = await fetch(`${service.url}/rates`, { method: 'POST', headers, body })
    const committedMs = performance.timeOrigin + performance.now()
    const text = await reply.text()
    if (reply.status !== 201) throw new Error(`POST /rates returned ${reply.status}: ${text}`)
    return rows.map(({ from, to, rate }) => ({
      corridor: `${from}/${to}`,
      rate: String(rate),
      committedMs,
    }))
  }
  const recorder: Recorder = {
    async record({ perSecond, during }) {
      let isOver = false
      const over = during.finally(() => {
        isOver = true
      })
      const pauseMs = (BATCH_ROWS * 1000) / perSecond
      const rows: Row[] = []
      for (let nextMs = performance.now(); !isOver; nextMs += pauseMs) {
        await Promise.race([over, Bun.sleep(Math.max(0, nextMs - performance.now()))])
        if (!isOver) rows.push(...(await recorded()))
      }
      return rows
    },
    async burst(rows) {
      for (let done = 0; done < rows; done += BATCH_ROWS) await recorded()
    },
  }
  return recorder
}
