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

/** One event of a stream; `type` determines the shape of `data`. */
export type StreamEvent = {
  [Type in keyof Bodies]: {
    readonly type: Type
    /** Position in the order that all replicas share; null if an event has none. */
    readonly id: string | null
    readonly data: Schemas[Bodies[Type]]
  }
}[keyof Bodies]

const TYPES: Readonly<Record<keyof Bodies, true>> = {
  ...{ hello: true, quote: true, gone: true, best: true, mid: true },
  ...{ catalogue: true, reset: true, slow: true, ended: true },
}

/** Reports whether this version knows the event; newer services may send others. */
export const isKnown = (type: string | undefined): type is StreamEvent['type'] =>
  type !== undefined && Object.hasOwn(TYPES, type)
