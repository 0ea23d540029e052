export const EVIDENCE = ['observed', 'derived', 'indicative'] as const

/**
 * Evidence of a price: it was `observed`, `derived` from a margin or from another source, or is
 * `indicative`, which means advertised and not surely available.
 */
export type Evidence = (typeof EVIDENCE)[number]
