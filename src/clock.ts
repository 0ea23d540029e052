/** The source of the time. Injected everywhere, so that tests can set it. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** A time that only goes forward, to measure how long things take; its zero means nothing. */
export const monotonicMs = (): number => performance.now()

/** Whole milliseconds since `monotonicMs` gave that time. */
export const msSince = (startMs: number): number => Math.round(monotonicMs() - startMs)
