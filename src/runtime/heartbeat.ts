import { monotonicMs, msSince } from '~/clock.ts'

/** The pause between two lines about work that takes long. */
const HEARTBEAT_MS = 5_000

type Waiting = { readonly what: string; say(line: string): void; readonly everyMs?: number }

/** The result of `work`; while it takes long, lines report that it continues. */
export async function withHeartbeat<T>(
  { what, say, everyMs = HEARTBEAT_MS }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const startMs = monotonicMs()
  const tell = () => say(`still ${what}, for ${Math.round(msSince(startMs) / 1000)} s now`)
  const timer = setInterval(tell, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
