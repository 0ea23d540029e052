import type { Running } from '../process.ts'
import type { Market } from './market.ts'

const BATCH_ROWS = 100
/** Bodies created in advance, so that their creation is not measured. */
const BODIES = 200

export type Publisher = {
  /** Records one batch of 100 rows and returns how many. */
  publish(): Promise<number>
}

/** Records rates of now through `POST /rates`, of each pair of the market in turn. */
export function publisherOf(service: Running, { market, key }: { market: Market; key: string }) {
  const { pairs } = market
  const rowAt = (i: number) => {
    const { providerId, from, to } = pairs[i % pairs.length]!
    return { provider_id: providerId, from, to, rate: 1 + (i % 97) / 100, fee: 1.99 }
  }
  const bodies = Array.from({ length: BODIES }, (_, batch) =>
    JSON.stringify(Array.from({ length: BATCH_ROWS }, (_, i) => rowAt(batch * BATCH_ROWS + i))),
  )
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  let turn = 0
  return {
    async publish() {
      const body = bodies[turn++ % BODIES]!
      const reply = await fetch(`${service.url}/rates`, { method: 'POST', headers, body })
      const text = await reply.text()
      if (reply.status !== 201) throw new Error(`POST /rates returned ${reply.status}: ${text}`)
      return BATCH_ROWS
    },
  }
}

/** Rows a second, batch after batch, with `pauseMs` from the start of one to the next. */
export async function rowsPerSecond(
  publisher: Publisher,
  { pauseMs, during }: { pauseMs: number; during: Promise<unknown> },
): Promise<number> {
  let isOver = false
  const over = during.finally(() => {
    isOver = true
  })
  const startMs = performance.now()
  let rows = 0
  while (!isOver) {
    const nextMs = performance.now() + pauseMs
    rows += await publisher.publish()
    await Promise.race([over, Bun.sleep(Math.max(0, nextMs - performance.now()))])
  }
  return (rows * 1000) / (performance.now() - startMs)
}
