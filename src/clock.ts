/** Where the time comes from. Injected everywhere; tests turn it by hand. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }
