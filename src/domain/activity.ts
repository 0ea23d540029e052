/** Says whether a provider was active from `sinceMs` on. */
export type ActivityChange = { readonly sinceMs: number; readonly isActive: boolean }

export type ProviderChange = ActivityChange & { readonly providerId: string }

/** Says whether a provider is active, and every change since its history began, oldest first. */
export type Activity = { readonly isActive: boolean; readonly changes: readonly ActivityChange[] }

/**
 * Reports whether a provider was active at a time.
 *
 * Before its first change a provider was in the opposite state; one that never changed has always
 * been in its present state.
 */
export function wasActive({ isActive, changes }: Activity, atMs: number): boolean {
  const next = changes.find(({ sinceMs }) => sinceMs > atMs)
  return next ? !next.isActive : isActive
}
