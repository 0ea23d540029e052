/** From `sinceMs` on a provider was active, or was not. */
export type ActivityChange = { readonly sinceMs: number; readonly isActive: boolean }

export type ProviderChange = ActivityChange & { readonly providerId: string }

/** Whether a provider is active, and every change since its history began, oldest first. */
export type Activity = { readonly isActive: boolean; readonly changes: readonly ActivityChange[] }

/**
 * Whether a provider was active at a moment.
 *
 * Before its first change it was the opposite of what that made it; without any change it has
 * always been what it is.
 */
export function wasActive({ isActive, changes }: Activity, atMs: number): boolean {
  const next = changes.find(({ sinceMs }) => sinceMs > atMs)
  return next ? !next.isActive : isActive
}
