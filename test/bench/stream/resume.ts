import type { Running } from '../process.ts'

const ID = /^id: (\S+)$/gm
const EVENT = /^event: (quote|best|mid|gone|catalogue)$/gm

/** A stream of everything, read as it arrives. */
export type Everything = {
  /** The number of events received. */
  readonly events: number
  /** The last id received. */
  readonly lastId: string | null
  /** Resolves when an id is received. */
  until(id: string): Promise<void>
  close(): void
}

/** Reads all corridors, after an id if there is one. */
export function everything(service: Running, key: string, after?: string): Everything {
  const stop = new AbortController()
  const received = { events: 0, lastId: null as string | null }
  const ids = new Set<string>()
  const waiting = new Map<string, () => void>()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const take = (text: string) => {
    if (text.includes('\nevent: reset\n')) throw new Error(`the stream was reset: ${text}`)
    received.events += text.match(EVENT)?.length ?? 0
    for (const [, id] of text.matchAll(ID)) {
      received.lastId = id!
      ids.add(id!)
      waiting.get(id!)?.()
    }
  }
  const read = async () => {
    const headers = { 'x-api-key': key, ...(after && { 'last-event-id': after }) }
    const url = `${service.url}/stream?corridors=*`
    const reply = await fetch(url, { headers, signal: stop.signal })
    if (reply.status !== 200) throw new Error(`GET /stream returned ${reply.status}`)
    let rest = ''
    for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
      const text = rest + chunk
      const end = text.lastIndexOf('\n\n')
      rest = end < 0 ? text : text.slice(end + 2)
      if (end >= 0) take(text.slice(0, end + 2))
    }
  }
  read().catch(failed.reject)
  return {
    get events() {
      return received.events
    },
    get lastId() {
      return received.lastId
    },
    until(id) {
      if (ids.has(id)) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(id, resolve)
      return Promise.race([promise, failed.promise])
    },
    close: () => stop.abort(),
  }
}
