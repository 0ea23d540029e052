import type { Schemas } from './operation.ts'

type Bodies = {
  hello: 'StreamHello'
  quote: 'StreamQuote'
  gone: 'StreamGone'
  best: 'StreamBest'
  mid: 'StreamMid'
  catalogue: 'StreamCatalogue'
  reset: 'StreamReset'
  slow: 'StreamSlow'
  ended: 'StreamEnded'
}

/** One event of a stream; `type` tells what its `data` is. */
export type StreamEvent = {
  [Type in keyof Bodies]: {
    readonly type: Type
    /** Its place in the order that all replicas share; null if an event has none. */
    readonly id: string | null
    readonly data: Schemas[Bodies[Type]]
  }
}[keyof Bodies]

const TYPES: Readonly<Record<keyof Bodies, true>> = {
  ...{ hello: true, quote: true, gone: true, best: true, mid: true },
  ...{ catalogue: true, reset: true, slow: true, ended: true },
}

/** Reports whether an event is known by this name here; a service that is newer may have others. */
export const isKnown = (type: string | undefined): type is StreamEvent['type'] =>
  type !== undefined && Object.hasOwn(TYPES, type)
